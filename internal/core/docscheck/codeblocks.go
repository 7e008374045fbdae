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
	"xml": parseXML, "svg": parseXML,
}

// sketchPattern matches what stands for something left out; such code need not parse.
var sketchPattern = lazy.Pattern{Text: `\.\.\.|…|\{\{|\{%`}

// checkCodeBlocks checks that front matter and code blocks parse.
func (a *auditor) checkCodeBlocks(p *page) {
	if _, err := parseYAML(p.front); err != nil {
		a.report(p, len("---\n"), "fence", Medium, "the front matter is not valid YAML: "+text.FirstLine(err.Error()))
	}
	for _, f := range p.fences {
		parse, known := parsers[f.lang]
		switch {
		case !f.isClosed:
			a.report(p, f.offset, "fence", Medium, "this code block is never closed: the rest of the page is shown as code")
		case known && !sketchPattern.Get().MatchString(f.text) && strings.TrimSpace(f.text) != "":
			a.checkCodeBlock(p, f, parse)
		}
	}
}

func (a *auditor) checkCodeBlock(p *page, f fence, parse func(string) (int, error)) {
	line, err := parse(f.text)
	if err == nil {
		return
	}
	severity := Medium
	if slices.Contains(shellLangs, f.lang) {
		severity = High
	}
	why := cmp.Or(text.FirstLine(err.Error()), "syntax error")
	a.report(p, f.lines[min(max(line, 1), len(f.lines))-1], "fence", severity, fmt.Sprintf("this %s does not parse: %s", f.lang, why))
}

var (
	jsonComment     = lazy.Pattern{Text: `"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/`}
	codePlaceholder = lazy.Pattern{Text: `<[A-Za-z][\w .-]*>`}
)

// parseJSON accepts values one after another, the members of an object without its
// braces, comments, and values such as <port>.
func parseJSON(code string) (int, error) {
	code = jsonComment.Get().ReplaceAllStringFunc(code, func(m string) string {
		if m[0] == '"' {
			return m
		}
		comment := []byte(m)
		blank(comment, 0, len(comment))
		return string(comment)
	})
	line, err := decodeJSON(code)
	members := strings.TrimSuffix(strings.TrimSpace(code), ",")
	_, inBraces := decodeJSON("{" + members + "}")
	if codePlaceholder.Get().MatchString(code) || strings.HasPrefix(members, `"`) && inBraces == nil {
		return 0, nil
	}
	return line, err
}

func decodeJSON(code string) (int, error) {
	decoder := json.NewDecoder(strings.NewReader(code))
	err := readToEnd(func() error { return decoder.Decode(new(any)) })
	at := decoder.InputOffset()
	if e, ok := err.(*json.SyntaxError); ok {
		at = e.Offset
	}
	return strings.Count(code[:min(int(at), len(code))], "\n") + 1, err
}

// readToEnd reads one after another until there is no more.
func readToEnd(next func() error) (err error) {
	for err == nil {
		err = next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
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
	if commands, found := promptedCommands(code); found {
		code = commands
	}
	_, err = parseShell(code)
	if at, ok := err.(syntax.ParseError); ok {
		line = int(at.Line())
	}
	return line, err
}

func parseXML(code string) (int, error) {
	decoder := xml.NewDecoder(strings.NewReader(code))
	decoder.Entity = xml.HTMLEntity
	decoder.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	err := readToEnd(func() error {
		_, err := decoder.Token()
		return err
	})
	line, _ := decoder.InputPos()
	return line, err
}

// closers are Go's brackets.
var closers = map[token.Token]token.Token{token.RPAREN: token.LPAREN, token.RBRACK: token.LBRACK, token.RBRACE: token.LBRACE}

// parseGo checks brackets and literals. Documents show statements, members and
// signatures without what belongs around them, which no parser takes.
func parseGo(code string) (int, error) {
	file := token.NewFileSet().AddFile("", -1, len(code))
	var wrong scanner.ErrorList
	var s scanner.Scanner
	s.Init(file, []byte(code), wrong.Add, 0)
	var open []token.Token
	for {
		pos, tok, _ := s.Scan()
		opener, isCloser := closers[tok]
		isPair := isCloser && len(open) > 0 && open[len(open)-1] == opener
		switch {
		case tok == token.LPAREN || tok == token.LBRACK || tok == token.LBRACE:
			open = append(open, tok)
		case isPair:
			open = open[:len(open)-1]
		case isCloser:
			wrong.Add(file.Position(pos), "unexpected "+tok.String())
		case tok == token.EOF && len(open) > 0:
			wrong.Add(file.Position(pos), open[len(open)-1].String()+" is never closed")
		}
		if len(wrong) > 0 {
			return wrong[0].Pos.Line, errors.New(wrong[0].Msg)
		}
		if tok == token.EOF {
			return 0, nil
		}
	}
}
