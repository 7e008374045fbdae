package docscheck

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/goccy/go-yaml"
	yamlparser "github.com/goccy/go-yaml/parser"
	"github.com/pelletier/go-toml/v2"
	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

// language describes how to check code: parse returns the line of an error, from 1.
type language struct {
	parse    func(code string) (line int, err error)
	severity Severity
}

var languages = map[string]language{
	"json": {parseJSON, Medium}, "jsonc": {parseJSON, Medium}, "jsonl": {parseJSON, Medium}, "ndjson": {parseJSON, Medium},
	"yaml": {parseYAML, Medium}, "yml": {parseYAML, Medium}, "toml": {parseTOML, Medium},
	"sh": {parseScript, High}, "bash": {parseScript, High}, "shell": {parseScript, High},
}

// sketchPattern matches placeholders; code with one need not parse.
var sketchPattern = lazy.Pattern{Text: `\.\.\.|…|\{\{|\{%|<[A-Za-z][\w .-]*>`}

func (c *pageCheck) checkCodeBlocks() {
	for _, f := range c.fences {
		language, known := languages[f.lang]
		switch {
		case !f.isClosed:
			c.report(f.offset, "fence", Medium, "this code block is never closed: the rest of the page is shown as code")
		case known && !sketchPattern.Get().MatchString(f.text) && strings.TrimSpace(f.text) != "":
			if line, err := language.parse(f.text); err != nil {
				at := f.lines[min(max(line, 1), len(f.lines))-1]
				c.report(at, "fence", language.severity, "this %s does not parse: %s", f.lang, cmp.Or(text.FirstLine(err.Error()), "syntax error"))
			}
		}
	}
}

var jsonComment = lazy.Pattern{Text: `"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/`}

// parseJSON accepts consecutive values, the members of an object without its braces, and comments.
func parseJSON(code string) (int, error) {
	code = jsonComment.Get().ReplaceAllStringFunc(code, func(m string) string {
		if m[0] == '"' {
			return m
		}
		return strings.Repeat("\n", strings.Count(m, "\n"))
	})
	line, err := decodeJSON(code)
	if _, inBraces := decodeJSON("{" + strings.TrimSuffix(strings.TrimSpace(code), ",") + "}"); inBraces == nil {
		return 0, nil
	}
	return line, err
}

func decodeJSON(code string) (line int, err error) {
	decoder := json.NewDecoder(strings.NewReader(code))
	for err == nil {
		err = decoder.Decode(new(any))
	}
	if err == io.EOF {
		return 0, nil
	}
	at := decoder.InputOffset()
	if e, ok := err.(*json.SyntaxError); ok {
		at = e.Offset
	}
	return strings.Count(code[:min(int(at), len(code))], "\n") + 1, err
}

func parseYAML(code string) (int, error) {
	_, err := yamlparser.ParseBytes([]byte(code), 0)
	var at *yaml.SyntaxError
	if errors.As(err, &at) {
		return at.Token.Position.Line, errors.New(at.Message)
	}
	return 0, err
}

func parseTOML(code string) (line int, err error) {
	err = toml.Unmarshal([]byte(code), new(map[string]any))
	if at, ok := err.(*toml.DecodeError); ok {
		line, _ = at.Position()
	}
	return line, err
}

func parseScript(code string) (line int, err error) {
	code, _ = promptedCommands(code)
	_, err = parseShell(code)
	if at, ok := err.(syntax.ParseError); ok {
		line = int(at.Line())
	}
	return line, err
}

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
