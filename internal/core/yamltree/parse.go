// Package yamltree reads a YAML document as a tree in which every value knows its line and column,
// decodes mappings strictly into tagged structs, and collects the problems of files with their
// places. Anyone may have written the file: what is too large or too deep is refused before it
// costs time. Callers name the keys, and say what they mean.
package yamltree

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"warp/internal/core/text"
)

// Limits of a file. The parser's time is quadratic in keys and depth.
const (
	mostBytes  = 256 << 10
	mostTokens = 10_000
	mostDepth  = 32
	mostColumn = 200     // of nested "- - - -"
	mostSize   = 1 << 20 // of all values, with aliases expanded
)

// CheckText refuses what is not text, and normalises line endings.
func (p *Problems) CheckText(file string, text []byte) (*Source, bool) {
	src := &Source{File: file, Text: strings.TrimPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\ufeff")}
	bad := strings.IndexFunc(src.Text, func(c rune) bool { return c == utf8.RuneError || c == 0 })
	switch {
	case len(text) > mostBytes:
		p.Report(src.At(0), "the file has %d KiB; at most %d are read", len(text)>>10, mostBytes>>10)
	case strings.TrimSpace(src.Text) == "":
		p.Report(src.At(0), "the file is empty")
	case !utf8.ValidString(src.Text) || strings.ContainsRune(src.Text, 0):
		p.Report(src.At(bad), "this is not UTF-8 text")
	default:
		return src, true
	}
	return src, false
}

// Parse reads a file's only YAML document; nil if there is none.
func (p *Problems) Parse(file string, content []byte) (n *Node) {
	src, ok := p.CheckText(file, content)
	if !ok {
		return nil
	}
	defer func() {
		// The parser panics on some files, and anyone may have written the file.
		if broken := recover(); broken != nil {
			p.Report(src.At(0), "this cannot be read as YAML")
			n = nil
		}
	}()
	c := &converter{Problems: p, src: src, anchors: map[string]*Node{}}
	tokens := lexer.Tokenize(src.Text)
	if !c.checkSize(tokens) {
		return nil
	}
	parsed, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		c.reportSyntaxError(err)
		return nil
	}
	var body ast.Node
	for _, d := range parsed.Docs {
		_, directive := d.Body.(*ast.DirectiveNode)
		switch {
		case d.Body == nil || directive:
		case body != nil:
			p.Report(c.placeOf(d.Body), "a second document begins here; a file has one")
		default:
			body = d.Body
		}
	}
	if body == nil {
		p.Report(src.At(0), "the file is empty")
		return nil
	}
	return c.convert(body)
}

// checkSize refuses what would take the parser too long.
func (c *converter) checkSize(tokens token.Tokens) bool {
	if len(tokens) > mostTokens {
		c.Report(c.src.At(0), "the file has more than %d words of YAML; long prompts can go into separate files", mostTokens)
		return false
	}
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		}
		nests := t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType
		if depth > mostDepth || nests && t.Position.Column > mostColumn {
			c.Report(c.tokenPlace(t), "this is nested too deeply")
			return false
		}
	}
	return true
}

func (c *converter) reportSyntaxError(err error) {
	at, message := c.src.At(0), "this cannot be read as YAML"
	var e interface {
		GetMessage() string
		GetToken() *token.Token
	}
	if errors.As(err, &e) {
		at, message = c.tokenPlace(e.GetToken()), text.VisibleLine(e.GetMessage())
	}
	if strings.Contains(message, "tab character") || strings.Contains(message, "'\t'") {
		message = "a line is indented with a tab; YAML wants spaces"
	}
	c.Report(at, "%s", message)
}
