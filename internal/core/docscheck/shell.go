package docscheck

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word is one word of a command. It is known if its text is what the shell would
// see: no placeholder, variable or pattern.
type word struct {
	text    string
	offset  int
	isKnown bool
}

// hole stands for a byte of what people write and a shell would not understand.
const hole = "\x01"

// placeholderPattern matches <placeholders>, [optional words] and one|other.
var placeholderPattern = lazily(`<(?:\w|…)(?:[^<>$\n]*[^<>$\s])?>|(?:^|\s)\[[^\s\[][^\n\]]*\]|\w(?:\|\w+)+`)

// parseShell returns the commands of a text in their order. Where the text as a
// whole does not parse, it returns the lines that do, with the error of the whole.
func parseShell(text string) ([][]word, error) {
	masked := placeholderPattern().ReplaceAllStringFunc(text, func(m string) string {
		space := len(m) - len(strings.TrimLeft(m, " \t\n"))
		return m[:space] + strings.Repeat(hole, len(m)-space)
	})
	commands, err := parseCommands(masked, 0)
	if err == nil {
		return commands, nil
	}
	at := 0
	for line := range strings.Lines(masked) {
		if some, err := parseCommands(line, at); err == nil {
			commands = append(commands, some...)
		}
		at += len(line)
	}
	return commands, err
}

func parseCommands(text string, base int) ([][]word, error) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return nil, err
	}
	var commands [][]word
	syntax.Walk(file, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			var words []word
			for _, w := range call.Args {
				words = append(words, readWord(w, base))
			}
			commands = append(commands, words)
		}
		return true
	})
	slices.SortStableFunc(commands, func(a, b []word) int { return a[0].offset - b[0].offset })
	return commands, nil
}

func readWord(w *syntax.Word, base int) word {
	var b strings.Builder
	isKnown := writeLiteral(&b, w.Parts)
	text := b.String()
	if text == "..." || strings.ContainsAny(text, hole+"…*?{}") {
		isKnown = false
	}
	return word{strings.ReplaceAll(text, hole, "_"), base + int(w.Pos().Offset()), isKnown}
}

// writeLiteral writes the literal parts of a word, and tells whether all are.
func writeLiteral(b *strings.Builder, parts []syntax.WordPart) bool {
	all := true
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(p.Value, "\\\n", ""))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			all = writeLiteral(b, p.Parts) && all
		default:
			all = false
		}
	}
	return all
}

var promptPattern = lazily(`^\s*[$%] `)

// promptedCommands blanks everything in a recorded session but the commands behind
// a prompt, byte for byte. It reports whether there is a prompt.
func promptedCommands(text string) (commands string, found bool) {
	out := []byte(text)
	at, continues := 0, false
	for line := range strings.Lines(text) {
		prompt := promptPattern().FindString(line)
		found = found || prompt != ""
		end := at + len(prompt)
		if prompt == "" && !continues {
			end = at + len(line)
		}
		blank(out, at, end)
		continues = (prompt != "" || continues) && strings.HasSuffix(strings.TrimRight(line, "\n"), "\\")
		at += len(line)
	}
	return string(out), found
}
