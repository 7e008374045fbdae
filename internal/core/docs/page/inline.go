package page

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// link keeps a destination that stands in the source behind an offset.
func (r *reader) link(dest string, from int, image bool) {
	i := strings.Index(r.Source[from:], dest)
	if dest == "" || i < 0 {
		return // written with escapes or entities
	}
	r.Links = append(r.Links, Link{Dest: dest, Offset: from + i, Image: image})
}

// after is where the text of a link or an image ends in the source.
func (r *reader) after(n ast.Node) int {
	end := offset(n)
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			end = max(end, t.Segment.Stop)
		}
		if l, ok := c.(*ast.Image); ok && entering && c != n {
			end = max(end, r.after(l)+len(l.Destination)) // an image that is a link
		}
		return ast.WalkContinue, nil
	})
	if i := strings.Index(r.Source[end:], "]("); i >= 0 {
		return end + i + 2
	}
	return end
}

func (r *reader) span(n *ast.CodeSpan) {
	s := Span{Plain: true}
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			if b.Len() == 0 {
				s.Offset = t.Segment.Start
			} else {
				s.Plain = false
			}
			b.WriteString(strings.ReplaceAll(string(t.Segment.Value(r.source)), "\n", " "))
		}
	}
	s.Text = b.String()
	if s.Text == "" {
		return
	}
	s.Plain = s.Plain && strings.HasPrefix(r.Source[s.Offset:], s.Text)
	s.Before, s.After = r.around(s.Offset, len(s.Text))
	for up := n.Parent(); up != nil; up = up.Parent() {
		if cell, ok := up.(*east.TableCell); ok {
			column := 0
			for c := cell.PreviousSibling(); c != nil; c = c.PreviousSibling() {
				column++
			}
			s.Column, s.First = r.columnName(cell.Parent(), column), column == 0
			break
		}
	}
	r.Spans = append(r.Spans, s)
}

// around is what stands in the same paragraph before and after a span, at most
// some words of it.
func (r *reader) around(at, length int) (before, after string) {
	const far = 60
	before = r.Source[max(0, at-far):at]
	if i := strings.LastIndex(before, "\n\n"); i >= 0 {
		before = before[i+2:]
	}
	end := min(len(r.Source), at+length)
	after = r.Source[end:min(len(r.Source), end+far)]
	if i := strings.Index(after, "\n\n"); i >= 0 {
		after = after[:i]
	}
	trim := func(s string) string { return strings.ReplaceAll(s, "\n", " ") }
	return strings.TrimRight(trim(before), "`"), strings.TrimLeft(trim(after), "`")
}

func (r *reader) fence(n *ast.FencedCodeBlock) {
	f := Fence{Lang: strings.ToLower(string(n.Language(r.source))), Offset: offset(n)}
	f.Lang = strings.Trim(f.Lang, "{}.")
	var b strings.Builder
	lines := n.Lines()
	for i := range lines.Len() {
		seg := lines.At(i)
		f.starts = append(f.starts, start{b.Len(), seg.Start})
		b.Write(seg.Value(r.source))
	}
	f.Text = b.String()
	opening, begins := r.Line(f.Offset)
	f.Content = min(len(r.Source), begins+len(opening)+1)
	f.Closed = r.closed(n, f)
	r.Fences = append(r.Fences, f)
}

// closed tells whether a fence ends before the page, or what holds it, does.
func (r *reader) closed(n *ast.FencedCodeBlock, f Fence) bool {
	end := f.Content
	if k := n.Lines().Len(); k > 0 {
		end = n.Lines().At(k - 1).Stop
	}
	line, _, _ := strings.Cut(r.Source[min(end, len(r.Source)):], "\n")
	line = strings.TrimLeft(strings.TrimSpace(line), "> \t")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") || n.NextSibling() != nil || n.Parent().Kind() != ast.KindDocument
}
