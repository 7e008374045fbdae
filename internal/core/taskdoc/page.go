package taskdoc

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"

	"warp/internal/core/text"
)

// maxDefects is the most defects reported at once.
const maxDefects = 1000

// page is the text of a document, with positions and defects.
type page struct {
	source            []byte
	lines             []int // where each begins
	defects, warnings []Defect
}

// newPage normalises line endings.
func newPage(source []byte) *page {
	p := &page{source: bytes.ReplaceAll(bytes.TrimPrefix(source, []byte("\ufeff")), []byte("\r\n"), []byte("\n")), lines: []int{0}}
	for i, b := range p.source {
		if b == '\n' {
			p.lines = append(p.lines, i+1)
		}
	}
	return p
}

// isText reports whether the source is readable text. Characters that could hide something from a
// reader, or move a terminal's cursor, are defects anywhere.
func (p *page) isText() bool {
	switch {
	case len(p.source) > MaxBytes:
		p.defect(0, "the document has %d bytes; at most %d are read", len(p.source), MaxBytes)
		return false
	case !utf8.Valid(p.source) || bytes.IndexByte(p.source, 0) >= 0:
		p.defect(0, "this is not text in UTF-8")
		return false
	case bytes.HasPrefix(p.source, []byte("---\n")):
		p.defect(0, "front matter is not read; put settings into sections, such as ## Safety bounds")
	}
	if !p.isShort() {
		return false
	}
	last := 0
	for i, c := range string(p.source) {
		if hidden(c) && p.line(i) != last {
			p.defect(i, "the control character %U is not accepted", c)
			last = p.line(i)
		}
	}
	return true
}

// isShort reports whether lines and blocks have a length that people write: parsing Markdown can
// take time quadratic in their length.
func (p *page) isShort() bool {
	begin, at := 0, 0
	for line := range bytes.Lines(p.source) {
		switch {
		case len(line) > MaxLine:
			p.defect(at, "the line has %d bytes; at most %d are read", len(line), MaxLine)
			return false
		case len(bytes.TrimSpace(line)) == 0:
			begin = at + len(line)
		case at+len(line)-begin > MaxBlock:
			p.defect(begin, "there are more than %d bytes without an empty line", MaxBlock)
			return false
		}
		at += len(line)
	}
	return true
}

// hidden reports whether c is a control character or changes the direction of text.
func hidden(c rune) bool {
	return c < ' ' && c != '\n' && c != '\t' || c >= 0x7f && c < 0xa0 || c >= 0x202a && c <= 0x202e || c >= 0x2066 && c <= 0x2069
}

// line returns the line, from 1, of an offset.
func (p *page) line(offset int) int {
	i, isStart := slices.BinarySearch(p.lines, offset)
	if !isStart {
		i--
	}
	return i + 1
}

// lineStart returns where the line of an offset begins.
func (p *page) lineStart(offset int) int { return p.lines[p.line(offset)-1] }

// at makes a defect, or a warning, at an offset.
func (p *page) at(offset int, format string, args ...any) Defect {
	column := utf8.RuneCount(p.source[p.lineStart(offset):offset]) + 1
	return Defect{Line: p.line(offset), Column: column, Message: fmt.Sprintf(format, args...)}
}

func (p *page) defect(offset int, format string, args ...any) {
	if len(p.defects) < maxDefects {
		p.defects = append(p.defects, p.at(offset, format, args...))
	}
}

func (p *page) warn(offset int, format string, args ...any) {
	if len(p.warnings) < maxDefects {
		p.warnings = append(p.warnings, p.at(offset, format, args...))
	}
}

// raw returns the source of a block, up to the next one.
func (p *page) raw(n ast.Node) string {
	end := len(p.source)
	if next := n.NextSibling(); next != nil {
		end = p.lineStart(next.Pos())
	} else if up := n.Parent(); up.Kind() != ast.KindDocument && up.NextSibling() != nil {
		end = p.lineStart(up.NextSibling().Pos())
	}
	begin := p.lineStart(n.Pos())
	return string(p.source[begin:max(begin, end)])
}

// linesOf yields the lines of a block with their offsets.
func (p *page) linesOf(n ast.Node) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for _, s := range n.Lines().Sliced(0, n.Lines().Len()) {
			if !yield(s.Start, string(s.Value(p.source))) {
				return
			}
		}
	}
}

// oneLine returns the text of a block as one line.
func (p *page) oneLine(n ast.Node) string {
	if n == nil || n.Type() != ast.TypeBlock {
		return ""
	}
	var all []string
	for _, line := range p.linesOf(n) {
		all = append(all, line)
	}
	return text.OneLine(strings.Join(all, " "))
}

// code returns the text of a code span.
func (p *page) code(n *ast.CodeSpan) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			if b.Len() > 0 && !strings.HasSuffix(b.String(), " ") {
				b.WriteByte(' ')
			}
			b.WriteString(strings.ReplaceAll(string(t.Segment.Value(p.source)), "\n", " "))
		}
	}
	return strings.TrimSpace(b.String())
}
