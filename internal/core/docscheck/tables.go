package docscheck

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"warp/internal/core/lazy"
)

// addParagraph adds a paragraph and the table that it is or ends with.
func (p *page) addParagraph(n ast.Node) {
	lines, table := p.splitTable(n)
	if len(lines) > 0 || table == nil {
		b := p.addBlock(lines, n.Pos())
		below := table
		if above, next := p.splitTable(n.NextSibling()); below == nil && len(above) == 0 {
			below = next
		}
		b.items = max(0, len(below)-2) // the head and the rule are none
		if list, ok := n.NextSibling().(*ast.List); ok {
			b.items = list.ChildCount()
		}
	}
	if table != nil {
		p.addBlock(table, n.Pos()).isTable = true
	}
}

// tableRule matches the line below the head of a table.
var tableRule = lazy.Pattern{Text: `^\s*\|?(\s*:?-+:?\s*\|)+(\s*:?-+:?)?\s*$`}

// splitTable returns the lines of a paragraph, and those of the table that it ends with.
func (p *page) splitTable(n ast.Node) (lines, table []text.Segment) {
	if n == nil || n.Kind() != ast.KindParagraph && n.Kind() != ast.KindTextBlock {
		return nil, nil
	}
	lines = n.Lines().Sliced(0, n.Lines().Len())
	for i := 1; i < len(lines); i++ {
		if head := lines[i-1]; strings.Contains(p.source[head.Start:head.Stop], "|") && tableRule.Get().MatchString(p.source[lines[i].Start:lines[i].Stop]) {
			return lines[:i-1], lines[i-1:]
		}
	}
	return lines, nil
}

// columnOf returns the heading of the column that a span is in, in lower case; "" if it
// is in no table.
func (p *page) columnOf(s span) string {
	if !s.block.isTable {
		return ""
	}
	head, _, _ := strings.Cut(p.source[s.block.start:s.block.end], "\n")
	before := p.prose[s.block.start:s.offset]
	row := before[strings.LastIndexByte(before, '\n')+1:]
	cells := strings.Split(head, "|")
	return strings.ToLower(strings.Trim(cells[min(strings.Count(row, "|"), len(cells)-1)], " *_`"))
}
