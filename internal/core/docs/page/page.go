// Package page reads a Markdown document into the parts that can drift from
// the code: headings and their anchors, links, code spans, fences, sentences,
// tables, lists and comments, each with its place in the source. What is wrong
// with them is left to the caller.
package page

import (
	"strings"
	"unicode/utf8"
)

// Page is a document.
type Page struct {
	Path     string
	Source   string
	Headings []Heading
	Links    []Link
	Spans    []Span
	Fences   []Fence
	Prose    []Prose
	Comments []Comment
	// Ids are the anchors that HTML in the page sets.
	Ids map[string]bool
	// Front is the front matter, without its fences; at FrontAt.
	Front   string
	FrontAt int

	lines []int
}

// Heading is a heading, with the anchor that it gets.
type Heading struct {
	Level  int
	Text   string
	Slug   string
	Offset int
}

// Link is the destination of a link, an image or a definition.
type Link struct {
	Dest   string
	Offset int
	Image  bool
}

// Span is a code span.
type Span struct {
	Text   string
	Offset int
	// Plain: the source holds exactly this text at the offset.
	Plain bool
	// Before and After are the words around it.
	Before, After string
	// Column is the heading of the table column that it stands in, First
	// whether that is the first.
	Column string
	First  bool
}

// Fence is a fenced code block.
type Fence struct {
	Lang    string
	Text    string
	Offset  int // of the opening line
	Content int // of the first line of the text
	Closed  bool
	starts  []start
}

// start is where a line of a fence's text begins in text and source.
type start struct{ text, source int }

// At is the offset in the source of an offset in the fence's text.
func (f Fence) At(offset int) int {
	at := f.Content
	for _, s := range f.starts {
		if s.text > offset {
			break
		}
		at = s.source + offset - s.text
	}
	return at
}

// Comment is an HTML comment, without its delimiters.
type Comment struct {
	Text       string
	Start, End int
}

// Prose is the readable text of a block: markup is taken out, code spans keep
// one backtick on each side.
type Prose struct {
	Text string
	at   []int
	// Heading, Cell: what kind of block it is; a paragraph, if none.
	Heading, Cell bool
	// Row is the whole row of a cell, Column the heading of its column.
	Row    []string
	Column string
	// Items is how many items the list, or rows the table, right below has; 0
	// if there is none.
	Items int
}

// At is the offset in the source of an offset in the text.
func (p Prose) At(offset int) int {
	if offset >= len(p.at) {
		return p.at[len(p.at)-1] + 1
	}
	return p.at[offset]
}

// Position is the line and column, from 1, of an offset in the source.
func (p *Page) Position(offset int) (line, column int) {
	lo, hi := 0, len(p.lines)
	for lo+1 < hi {
		if mid := (lo + hi) / 2; p.lines[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + 1, utf8.RuneCountInString(p.Source[p.lines[lo]:offset]) + 1
}

// Line is the text of the line that an offset stands in, and where it begins.
func (p *Page) Line(offset int) (text string, begins int) {
	line, _ := p.Position(offset)
	begins = p.lines[line-1]
	text, _, _ = strings.Cut(p.Source[begins:], "\n")
	return text, begins
}

// HasAnchor tells whether a fragment leads somewhere in the page.
func (p *Page) HasAnchor(name string) bool {
	for _, h := range p.Headings {
		if h.Slug == name {
			return true
		}
	}
	return p.Ids[name]
}
