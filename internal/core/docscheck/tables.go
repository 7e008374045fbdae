package docscheck

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"warp/internal/core/lazy"
)

// addParagraph adds a paragraph and the cells of the table that it is or ends with.
func (p *page) addParagraph(n ast.Node) {
	lines, table := p.splitTable(n)
	if len(lines) > 0 || table == nil {
		b := p.addBlock(lines, n.Pos())
		above, below := p.splitTable(n.NextSibling())
		switch list, isAboveList := n.NextSibling().(*ast.List); {
		case table != nil:
			b.items = len(table) - 2
		case isAboveList:
			b.items = list.ChildCount()
		case below != nil && len(above) == 0:
			b.items = len(below) - 2
		}
	}
	p.addCells(table)
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

// addCells adds a block for each cell of a table.
func (p *page) addCells(table []text.Segment) {
	var heads []string
	for row, line := range table {
		if row == 1 {
			continue // the rule
		}
		var cells []string
		at := line.Start
		text := strings.ReplaceAll(p.source[line.Start:line.Stop], `\|`, "  ")
		for i, cell := range strings.Split(strings.TrimRight(text, "| \r\n"), "|") {
			start, trimmed := at+len(cell)-len(strings.TrimLeft(cell, " \t")), strings.TrimSpace(cell)
			at += len(cell) + len("|")
			if i == 0 && trimmed == "" {
				continue // before the first bar
			}
			cells = append(cells, strings.ToLower(strings.Trim(trimmed, "*_`")))
			b := &block{start: start, end: start + len(trimmed), inTable: true}
			if row == 0 {
				heads = cells
			}
			if len(cells) <= len(heads) {
				b.column = heads[len(cells)-1]
			}
			p.blocks = append(p.blocks, b)
		}
	}
}
