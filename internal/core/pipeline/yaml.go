package pipeline

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

// Bounds of a file. The parser's time grows with the square of keys and depth.
const (
	mostBytes  = 256 << 10
	mostTokens = 10_000
	mostDepth  = 32
	mostColumn = 200     // of what nests: "- - - -"
	mostSize   = 1 << 20 // of all values, aliases written out
)

// checkText refuses what is not text, and makes all line ends the same.
func (p *problems) checkText(file string, text []byte) (*source, bool) {
	src := &source{file: file, text: strings.TrimPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\ufeff")}
	start := place{src, 1, 1}
	switch {
	case len(text) > mostBytes:
		p.report(start, "the file has %d KiB; at most %d are read", len(text)>>10, mostBytes>>10)
	case !utf8.ValidString(src.text):
		bad := strings.IndexFunc(src.text, func(c rune) bool { return c == utf8.RuneError })
		p.report(src.placeAt(bad), "this is not UTF-8 text")
	case strings.TrimSpace(src.text) == "":
		p.report(start, "the file is empty")
	case strings.ContainsRune(src.text, 0):
		p.report(src.placeAt(strings.IndexByte(src.text, 0)), "there is a zero byte in this text")
	default:
		return src, true
	}
	return src, false
}

// parseYAML reads a file's one YAML document; nil when there is none.
func (p *problems) parseYAML(file string, text []byte) (n *node) {
	src, ok := p.checkText(file, text)
	if !ok {
		return nil
	}
	start := place{src, 1, 1}
	defer func() {
		// The parser panics on some files, and anybody may have written the file.
		if broken := recover(); broken != nil {
			p.report(start, "this cannot be read as YAML")
			n = nil
		}
	}()
	c := &converter{problems: p, src: src, anchors: map[string]*node{}}
	tokens := lexer.Tokenize(src.text)
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
			p.report(c.placeOf(d.Body), "a second document begins here; a file has one")
		default:
			body = d.Body
		}
	}
	if body == nil {
		p.report(start, "the file is empty")
		return nil
	}
	return c.convert(body)
}

// checkSize refuses what would take the parser too long.
func (c *converter) checkSize(tokens token.Tokens) bool {
	if len(tokens) > mostTokens {
		c.report(c.tokenPlace(nil), "the file has more than %d words of YAML; long prompts can be in files of their own", mostTokens)
		return false
	}
	depth := 0
	for _, t := range tokens {
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			if t.Position.Column > mostColumn {
				depth = mostDepth + 1
			}
		}
		if depth > mostDepth {
			c.report(c.tokenPlace(t), "this is nested too deeply")
			return false
		}
	}
	return true
}

func (c *converter) reportSyntaxError(err error) {
	at, message := c.tokenPlace(nil), "this cannot be read as YAML"
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
	c.report(at, "%s", message)
}
