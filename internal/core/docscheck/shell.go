package docscheck

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/lazy"
)

// word is one word of a command, as the shell would see it; "" if unknown because of a placeholder,
// quote, variable or pattern.
type word struct {
	text   string
	offset int
}

// hole replaces each byte of a placeholder, which a shell would not understand.
const hole = "\x01"

// placeholderPattern matches <placeholders>, [optional words] and one|other.
var placeholderPattern = lazy.Pattern{Text: `<(?:\w|…)(?:[^<>$\n]*[^<>$\s])?>|(?:^|\s)\[[^\s\[][^\n\]]*\]|\w(?:\|\w+)+`}

// parseShell returns the commands of a text, in order.
func parseShell(text string) (commands [][]word, err error) {
	masked := placeholderPattern.Get().ReplaceAllStringFunc(text, func(m string) string {
		space := len(m) - len(strings.TrimLeft(m, " \t\n"))
		return m[:space] + strings.Repeat(hole, len(m)-space)
	})
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(masked), "")
	if err != nil {
		return nil, err
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			var words []word
			for _, w := range call.Args {
				text := w.Lit()
				if text == "..." || strings.ContainsAny(text, hole+`…*?{}\`) {
					text = ""
				}
				words = append(words, word{text, int(w.Pos().Offset())})
			}
			commands = append(commands, words)
		}
		return true
	})
	return commands, nil
}

var promptPattern = lazy.Pattern{Text: `^\s*[$%] `}

// promptedCommands blanks out everything in a recorded session except the commands after a prompt,
// keeping offsets. A text without a prompt stays unchanged.
func promptedCommands(text string) (commands string, found bool) {
	out := []byte(text)
	at, continues := 0, false
	for line := range strings.Lines(text) {
		prompt := promptPattern.Get().FindString(line)
		isCommand, hidden := prompt != "" || continues, line
		found = found || prompt != ""
		if isCommand {
			hidden = prompt
		}
		blank(out, at, at+len(hidden))
		continues = isCommand && strings.HasSuffix(strings.TrimRight(line, "\n"), "\\")
		at += len(line)
	}
	if !found {
		return text, false
	}
	return string(out), true
}
