package page

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Parse reads a document.
func Parse(path, source string) *Page {
	p := &Page{Path: path, Source: source, Ids: map[string]bool{}, lines: []int{0}}
	for i := range len(source) {
		if source[i] == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	body := p.frontMatter()
	root := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser().Parse(text.NewReader([]byte(body)))
	r := reader{Page: p, source: []byte(body)}
	_ = ast.Walk(root, r.visit)
	r.definitions()
	r.html()
	slugs(p.Headings)
	return p
}

// frontMatter takes the front matter out: to Markdown it would be a heading.
func (p *Page) frontMatter() string {
	if !strings.HasPrefix(p.Source, "---\n") {
		return p.Source
	}
	end := strings.Index(p.Source[3:], "\n---\n")
	if end < 0 {
		return p.Source
	}
	p.Front, p.FrontAt = p.Source[4:max(4, 3+end)], 4
	blank := []byte(p.Source)
	for i := range 3 + end + 4 {
		if blank[i] != '\n' {
			blank[i] = ' '
		}
	}
	return string(blank)
}

type reader struct {
	*Page
	source []byte
}

func (r *reader) visit(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.Heading:
		p := r.prose(n)
		p.Heading = true
		h := Heading{Level: n.Level, Text: strings.ReplaceAll(p.Text, "`", ""), Offset: offset(n)}
		if len(p.at) > 0 {
			h.Offset = p.at[0]
		}
		h.Text, h.Slug = ownID(h.Text)
		r.Headings = append(r.Headings, h)
		r.keep(p)
	case *ast.Paragraph, *ast.TextBlock:
		p := r.prose(n)
		p.Items = below(n)
		r.keep(p)
	case *east.TableCell:
		r.cell(n)
	case *ast.Link:
		if n.Reference == nil {
			r.link(string(n.Destination), r.after(n), false)
		}
	case *ast.Image:
		if n.Reference == nil {
			r.link(string(n.Destination), r.after(n), true)
		}
	case *ast.CodeSpan:
		r.span(n)
	case *ast.FencedCodeBlock:
		r.fence(n)
	}
	return ast.WalkContinue, nil
}

func (r *reader) keep(p Prose) {
	if p.Text != "" {
		r.Prose = append(r.Prose, p)
	}
}

// ownID is the anchor that a heading names itself, as {#name}.
func ownID(text string) (rest, id string) {
	if i := strings.LastIndex(text, "{#"); i >= 0 && strings.HasSuffix(text, "}") {
		return strings.TrimSpace(text[:i]), text[i+2 : len(text)-1]
	}
	return text, ""
}

func offset(n ast.Node) int { return max(0, n.Pos()) }

// below counts the items of the list, or the rows of the table, right below.
func below(n ast.Node) int {
	switch next := n.NextSibling().(type) {
	case *ast.List:
		return next.ChildCount()
	case *east.Table:
		return next.ChildCount() - 1
	}
	return 0
}

// prose puts the readable text of a block together.
func (r *reader) prose(n ast.Node) Prose {
	var p Prose
	var b strings.Builder
	add := func(s string, at int) {
		b.WriteString(s)
		for i := range len(s) {
			p.at = append(p.at, at+i)
		}
	}
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		switch c := c.(type) {
		case *ast.CodeSpan:
			at := 0
			if t, ok := c.FirstChild().(*ast.Text); ok && entering {
				at = t.Segment.Start - 1
			} else if t, ok := c.LastChild().(*ast.Text); ok {
				at = t.Segment.Stop
			}
			add("`", at)
		case *ast.Text:
			if !entering {
				break
			}
			add(string(c.Segment.Value(r.source)), c.Segment.Start)
			if c.SoftLineBreak() || c.HardLineBreak() {
				add(" ", c.Segment.Stop)
			}
		case *ast.List, *ast.FencedCodeBlock:
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	p.Text = b.String()
	return p
}

func (r *reader) cell(n *east.TableCell) {
	p := r.prose(n)
	p.Cell = true
	column := 0
	for c := n.PreviousSibling(); c != nil; c = c.PreviousSibling() {
		column++
	}
	if row := n.Parent(); row != nil {
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			p.Row = append(p.Row, strings.TrimSpace(r.prose(c).Text))
		}
		p.Column = r.columnName(row, column)
	}
	r.keep(p)
}

// columnName is the heading of a column of the table that a row belongs to.
func (r *reader) columnName(row ast.Node, column int) string {
	if row.Parent() == nil {
		return ""
	}
	c := row.Parent().FirstChild().FirstChild()
	for ; c != nil && column > 0; column-- {
		c = c.NextSibling()
	}
	if c == nil {
		return ""
	}
	return strings.TrimSpace(r.prose(c).Text)
}
