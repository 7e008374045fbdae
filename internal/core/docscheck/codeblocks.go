package docscheck

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"maps"
	"slices"
	"strings"

	yaml "github.com/goccy/go-yaml/parser"
	yamltoken "github.com/goccy/go-yaml/token"
	"github.com/pelletier/go-toml/v2"
	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

// parsers check that code of a language parses, and return the line of an error, from 1.
var parsers = map[string]func(code string) (line int, err error){
	"json": parseJSON, "jsonc": parseJSON, "jsonl": parseJSON, "ndjson": parseJSON,
	"yaml": parseYAML, "yml": parseYAML, "toml": parseTOML, "go": parseGo, "golang": parseGo,
	"sh": parseScript, "bash": parseScript, "shell": parseScript,
}

// sketchPattern matches what stands for something else; such code need not parse.
var sketchPattern = lazy.Pattern{Text: `\.\.\.|…|\{\{|\{%|<[A-Za-z][\w .-]*>`}

// checkCodeBlocks checks that front matter and code blocks parse.
func (c *pageCheck) checkCodeBlocks() {
	if _, err := parseYAML(c.front); err != nil {
		c.report(len("---\n"), "fence", Medium, "the front matter is not valid YAML: %s", text.FirstLine(err.Error()))
	}
	for _, f := range c.fences {
		parse, known := parsers[f.lang]
		switch {
		case !f.isClosed:
			c.report(f.offset, "fence", Medium, "this code block is never closed: the rest of the page is shown as code")
		case known && !sketchPattern.Get().MatchString(f.text) && strings.TrimSpace(f.text) != "":
			if line, err := parse(f.text); err != nil {
				at := f.lines[min(max(line, 1), len(f.lines))-1]
				c.report(at, "fence", f.severity(), "this %s does not parse: %s", f.lang, cmp.Or(text.FirstLine(err.Error()), "syntax error"))
			}
		}
	}
}

func (f fence) severity() Severity {
	if slices.Contains(shellLangs, f.lang) {
		return High
	}
	return Medium
}

var jsonComment = lazy.Pattern{Text: `"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/`}

// parseJSON accepts values one after another, the members of an object without its
// braces, and comments.
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
	_, err := yaml.ParseBytes([]byte(code), 0)
	var at interface {
		GetMessage() string
		GetToken() *yamltoken.Token
	}
	if errors.As(err, &at) && at.GetToken() != nil {
		return at.GetToken().Position.Line, errors.New(at.GetMessage())
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

// closers are Go's brackets.
var closers = map[token.Token]token.Token{token.LPAREN: token.RPAREN, token.LBRACK: token.RBRACK, token.LBRACE: token.RBRACE}

// parseGo checks brackets and literals. Documents show statements, members and
// signatures without what belongs around them, which no parser takes.
func parseGo(code string) (int, error) {
	file := token.NewFileSet().AddFile("", -1, len(code))
	var wrong scanner.ErrorList
	var s scanner.Scanner
	s.Init(file, []byte(code), wrong.Add, 0)
	expected := []token.Token{token.EOF} // what closes the brackets that are open
	for len(wrong) == 0 && len(expected) > 0 {
		pos, tok, _ := s.Scan()
		last := len(expected) - 1
		if closer, isOpener := closers[tok]; isOpener {
			expected = append(expected, closer)
		} else if tok == expected[last] {
			expected = expected[:last]
		} else if tok == token.EOF || slices.Contains(slices.Collect(maps.Values(closers)), tok) {
			wrong.Add(file.Position(pos), fmt.Sprintf("unexpected %s, expected %s", tok, expected[last]))
		}
	}
	if len(wrong) > 0 {
		return wrong[0].Pos.Line, errors.New(wrong[0].Msg)
	}
	return 0, nil
}
