package docscheck

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"slices"
	"strings"

	yaml "github.com/goccy/go-yaml/parser"
	"github.com/pelletier/go-toml/v2"
	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// parsers check that code of a language parses.
var parsers = map[string]func(string) error{
	"json": parseJSON, "jsonc": parseJSON, "jsonl": parseJSON, "ndjson": parseJSON,
	"yaml": parseYAML, "yml": parseYAML, "toml": parseTOML, "go": parseGo, "golang": parseGo,
	"sh": parseScript, "bash": parseScript, "shell": parseScript,
	"xml": parseXML, "svg": parseXML,
}

// sketchPattern matches what stands for something left out; such code need not parse.
var sketchPattern = lazily(`\.\.\.|…|\{\{|\{%`)

// checkCodeBlocks checks that front matter and code blocks parse.
func (a *auditor) checkCodeBlocks(p *page) {
	if err := parseYAML(p.front); err != nil {
		a.report(p, len("---\n"), "fence", Medium, "the front matter is not valid YAML: "+describe(err))
	}
	for _, f := range p.fences {
		parse, known := parsers[f.lang]
		if !f.isClosed {
			a.report(p, f.offset, "fence", Medium, "this code block is never closed: the rest of the page is shown as code")
		} else if known && !sketchPattern().MatchString(f.text) && strings.TrimSpace(f.text) != "" {
			if err := parse(f.text); err != nil {
				severity := Medium
				if slices.Contains(shellLangs, f.lang) {
					severity = High
				}
				a.report(p, f.lines[min(max(errorLine(f.text, err), 1), len(f.lines))-1], "fence", severity, fmt.Sprintf("this %s does not parse: %s", f.lang, describe(err)))
			}
		}
	}
}

func describe(err error) string { return cmp.Or(text.FirstLine(err.Error()), "syntax error") }

// lineError is an error of which only the line is known.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return e.text }

// errorLine returns the line of an error, from 1.
func errorLine(code string, err error) int {
	switch e := err.(type) {
	case *json.SyntaxError:
		return strings.Count(code[:min(int(e.Offset), len(code))], "\n") + 1
	case syntax.ParseError:
		return int(e.Line())
	case *xml.SyntaxError:
		return e.Line
	case *toml.DecodeError:
		line, _ := e.Position()
		return line
	case *lineError:
		return e.line
	}
	return 1
}

var (
	jsonComment     = lazily(`"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/`)
	codePlaceholder = lazily(`<[A-Za-z][\w .-]*>`)
)

// parseJSON accepts values one after another, the members of an object without its
// braces, comments, and values such as <port>.
func parseJSON(code string) error {
	code = jsonComment().ReplaceAllStringFunc(code, func(m string) string {
		if m[0] == '"' {
			return m
		}
		comment := []byte(m)
		blank(comment, 0, len(comment))
		return string(comment)
	})
	err := decodeJSON(code)
	members := strings.TrimSuffix(strings.TrimSpace(code), ",")
	if err == nil || codePlaceholder().MatchString(code) || strings.HasPrefix(members, `"`) && decodeJSON("{"+members+"}") == nil {
		return nil
	}
	return err
}

func decodeJSON(code string) error {
	decoder := json.NewDecoder(strings.NewReader(code))
	return readToEnd(func() error {
		var v any
		return decoder.Decode(&v)
	})
}

// readToEnd reads one after another until there is no more.
func readToEnd(next func() error) error {
	for {
		if err := next(); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func parseYAML(code string) error {
	_, err := yaml.ParseBytes([]byte(code), 0)
	if err == nil {
		return nil
	}
	said, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	var line, column int
	if _, e := fmt.Sscanf(said, "[%d:%d]", &line, &column); e == nil {
		_, said, _ = strings.Cut(said, "] ")
	}
	return &lineError{line, said}
}

func parseTOML(code string) error {
	var v map[string]any
	return toml.Unmarshal([]byte(code), &v)
}

func parseScript(code string) error {
	if commands, found := promptedCommands(code); found {
		code = commands
	}
	_, err := parseShell(code)
	return err
}

func parseXML(code string) error {
	decoder := xml.NewDecoder(strings.NewReader(code))
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	return readToEnd(func() error {
		_, err := decoder.Token()
		return err
	})
}

// closers are Go's brackets.
var closers = map[token.Token]token.Token{token.RPAREN: token.LPAREN, token.RBRACK: token.LBRACK, token.RBRACE: token.LBRACE}

// parseGo checks brackets and literals. Documents show statements, members and
// signatures without what belongs around them, which no parser takes.
func parseGo(code string) error {
	var failed error
	fail := func(line int, text string) error {
		if failed == nil {
			failed = &lineError{line, text}
		}
		return failed
	}
	file := token.NewFileSet().AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(pos token.Position, text string) { _ = fail(pos.Line, text) }, 0)
	var open []token.Token
	for {
		pos, tok, _ := s.Scan()
		opener, isCloser := closers[tok]
		switch {
		case tok == token.LPAREN || tok == token.LBRACK || tok == token.LBRACE:
			open = append(open, tok)
		case isCloser && (len(open) == 0 || open[len(open)-1] != opener):
			return fail(file.Line(pos), "unexpected "+tok.String())
		case isCloser:
			open = open[:len(open)-1]
		case tok == token.EOF && len(open) > 0:
			return fail(file.LineCount(), open[len(open)-1].String()+" is never closed")
		case tok == token.EOF:
			return failed
		}
	}
}
