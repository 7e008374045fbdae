package docs

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"regexp"
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
	"xml": parseXML, "svg": parseXML, "html": parseHTML,
}

// sketchPattern matches what stands for something left out; such code need not parse.
var sketchPattern = regexp.MustCompile(`\.\.\.|…|\{\{|\{%`)

// checkCodeBlocks checks that front matter and code blocks parse.
func (a *auditor) checkCodeBlocks(p *page) {
	if err := parseYAML(p.front); err != nil {
		a.report(p, len("---\n"), "fence", Medium, "the front matter is not valid YAML: "+describe(err))
	}
	for _, f := range p.fences {
		parse, known := parsers[f.lang]
		switch {
		case !f.isClosed:
			a.report(p, f.offset, "fence", Medium, "this code block is never closed: the rest of the page is shown as code")
		case !known || sketchPattern.MatchString(f.text) || strings.TrimSpace(f.text) == "":
		default:
			err := parse(f.text)
			if err == nil {
				continue
			}
			severity := Medium
			if slices.Contains(shellLangs, f.lang) {
				severity = High
			}
			a.report(p, f.at(errorOffset(f.text, err)), "fence", severity, fmt.Sprintf("this %s does not parse: %s", f.lang, describe(err)))
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

// errorOffset returns where in a text an error is.
func errorOffset(text string, err error) int {
	line := 0
	switch e := err.(type) {
	case *json.SyntaxError:
		return min(int(e.Offset), len(text)) - 1
	case syntax.ParseError:
		line = int(e.Line())
	case *xml.SyntaxError:
		line = e.Line
	case *toml.DecodeError:
		line, _ = e.Position()
	case *lineError:
		line = e.line
	}
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	return len(strings.Join(lines[:min(max(line-1, 0), len(lines)-1)], ""))
}

var (
	jsonComment     = regexp.MustCompile(`"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/`)
	codePlaceholder = regexp.MustCompile(`<[A-Za-z][\w .-]*>`)
)

// parseJSON accepts values one after another, the members of an object without its
// braces, comments, and values such as <port>.
func parseJSON(code string) error {
	code = jsonComment.ReplaceAllStringFunc(code, func(m string) string {
		if m[0] == '"' {
			return m
		}
		comment := []byte(m)
		blank(comment, 0, len(comment))
		return string(comment)
	})
	err := decodeJSON(code)
	members := strings.TrimSuffix(strings.TrimSpace(code), ",")
	if err == nil || codePlaceholder.MatchString(code) || strings.HasPrefix(members, `"`) && decodeJSON("{"+members+"}") == nil {
		return nil
	}
	return err
}

func decodeJSON(code string) error {
	decoder := json.NewDecoder(strings.NewReader(code))
	for {
		var v any
		switch err := decoder.Decode(&v); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
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
	for {
		switch _, err := decoder.Token(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// parseHTML reads HTML as lenient XML; at its end, elements may be open.
func parseHTML(code string) error {
	if strings.Contains(code, "<script") || strings.Contains(code, "<style") {
		return nil
	}
	decoder := xml.NewDecoder(strings.NewReader(code))
	decoder.Strict = false
	decoder.AutoClose, decoder.Entity = xml.HTMLAutoClose, xml.HTMLEntity
	for {
		read := decoder.InputOffset()
		switch _, err := decoder.Token(); {
		case errors.Is(err, io.EOF) || err != nil && read == int64(len(code)):
			return nil
		case err != nil:
			return err
		}
	}
}

// goContexts are what documents leave out around Go code: nothing, the package, a
// function, a literal, a struct or an interface.
var goContexts = [][2]string{
	{"package p\nfunc _() {\n", "\n}"}, {"package p\n", ""}, {"", ""},
	{"package p\nvar _ = T{\n", "\n}"}, {"package p\nvar _ = T{\n", ",\n}"}, {"package p\ntype _ struct {\n", "\n}"}, {"package p\ntype _ interface {\n", "\n}"},
}

var goDeclaration = regexp.MustCompile(`^\s*(func|type|var|const|import)\b`)

// parseGo accepts a file, declarations, statements or members, also mixed.
func parseGo(code string) error {
	err := parseGoPart(code)
	if err == nil || codePlaceholder.MatchString(code) {
		return nil
	}
	for _, part := range splitGo(code) {
		if parseGoPart(part) != nil {
			return err
		}
	}
	return nil
}

// parseGoPart returns the error of the context that fits the first word.
func parseGoPart(code string) error {
	best := 0
	if goDeclaration.MatchString(code) {
		best = 1
	} else if strings.HasPrefix(strings.TrimSpace(code), "package ") {
		best = 2
	}
	var told error
	for i, context := range goContexts {
		_, err := parser.ParseFile(token.NewFileSet(), "", context[0]+code+context[1], parser.SkipObjectResolution)
		if err == nil {
			return nil
		}
		if list := (scanner.ErrorList)(nil); i == best && errors.As(err, &list) {
			told = &lineError{list[0].Pos.Line - strings.Count(context[0], "\n"), list[0].Msg}
		}
	}
	return told
}

// splitGo cuts code where a statement or declaration ends.
func splitGo(code string) []string {
	file := token.NewFileSet().AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(token.Position, string) {}, 0)
	var parts []string
	depth, from := 0, 0
	for {
		pos, tok, literal := s.Scan()
		switch tok {
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.SEMICOLON:
			if at := min(file.Offset(pos), len(code)); depth == 0 && literal == "\n" {
				parts = append(parts, code[from:at])
				from = at
			}
		case token.EOF:
			return append(parts, code[from:])
		}
	}
}
