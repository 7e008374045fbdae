package taskdoc

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	markdown "github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// newParser returns a Markdown parser with check boxes. Goldmark's own extension also links its
// table and link readers, which cost every start of warp a millisecond.
func newParser() markdown.Parser {
	return markdown.NewParser(markdown.WithBlockParsers(markdown.DefaultBlockParsers()...), markdown.WithParagraphTransformers(markdown.DefaultParagraphTransformers()...),
		markdown.WithInlineParsers(append(markdown.DefaultInlineParsers(), util.Prioritized(checkBoxes{}, 0))...))
}

// checkBoxes parses [ ], [x] and [X] at the beginning of a list item.
type checkBoxes struct{}

func (checkBoxes) Trigger() []byte { return []byte{'['} }

func (checkBoxes) Parse(parent ast.Node, block text.Reader, _ markdown.Context) ast.Node {
	item, ok := parent.Parent().(*ast.ListItem)
	if !ok || item.FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 3 || bytes.IndexByte([]byte(" \t\n\f\rxX"), line[1]) < 0 || line[2] != ']' {
		return nil
	}
	rest := bytes.TrimLeft(line[3:], " \t\n\f\r")
	block.Advance(len(line) - len(rest))
	return east.NewTaskCheckBox(line[1] == 'x' || line[1] == 'X')
}
