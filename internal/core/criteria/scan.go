package criteria

import (
	"iter"
	"strings"
)

// maxDepth limits how deep lists and quotes are followed, so that no text is expensive to read.
const maxDepth = 64

// scanner follows the block structure of Markdown, by CommonMark, as far as needed to tell where a
// list item begins and what is code.
type scanner struct {
	open  []container
	leaf  leaf
	fence string // opening run of a fenced leaf
	depth int    // how many containers an open leaf is in
	para  bool   // the previous line was part of a paragraph
}

// container is a block quote, or a list item with the indentation of its text.
type container struct {
	quote bool
	width int
}

// leaf is a block that contains no Markdown.
type leaf int

const (
	prose leaf = iota
	fenced
	comment // <!-- … -->
	raw     // <pre> and its like
)

// place describes a line.
type place struct {
	box  int // offset of a list item's text; -1 if no list item begins here
	text int // offset of its words; -1 for code, comments and blank lines
}

var noPlace = place{-1, -1}

// Prose lists the lines of a text, without markers of lists and quotes, that are neither code nor
// comments.
func Prose(markdown string) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := scanner{}
		for line := range strings.Lines(markdown) {
			if at := s.line(line); at.text >= 0 && !yield(strings.TrimRight(line[at.text:], "\r\n")) {
				return
			}
		}
	}
}

// line reads the next line.
func (s *scanner) line(line string) place {
	c := cursor{text: strings.TrimRight(line, "\r\n")}
	matched := s.match(&c)
	if s.leaf != prose {
		if matched >= s.depth {
			s.inside(c.rest())
			return noPlace
		}
		s.leaf = prose
	}
	if c.blank() {
		s.open, s.para = s.open[:matched], false
		return noPlace
	}
	if c.indent() >= 4 { // code, or a continued paragraph
		if s.para {
			return place{-1, c.at}
		}
		s.open = s.open[:matched]
		return noPlace
	}
	return s.begin(&c, matched)
}

// match follows the open containers that the line continues.
func (s *scanner) match(c *cursor) int {
	for i, o := range s.open {
		switch {
		case o.quote && !c.quote():
			return i
		case !o.quote && c.indent() >= o.width:
			c.skip(o.width)
		case !o.quote && !c.blank():
			return i
		}
	}
	return len(s.open)
}

// inside looks for the end of a leaf.
func (s *scanner) inside(rest string) {
	rest = strings.TrimSpace(rest)
	switch s.leaf {
	case fenced:
		run := runOf(rest)
		if run == rest && run != "" && run[0] == s.fence[0] && len(run) >= len(s.fence) {
			s.leaf = prose
		}
	case comment:
		if strings.Contains(rest, "-->") {
			s.leaf = prose
		}
	case raw:
		if endsRaw(rest) {
			s.leaf = prose
		}
	}
}

// begin opens the containers that begin on this line, then its leaf.
func (s *scanner) begin(c *cursor, matched int) place {
	at := noPlace
	fresh := false
	for matched < maxDepth && c.indent() < 4 && !c.blank() {
		if c.quote() {
			s.push(&matched, container{quote: true})
			at.box, fresh = -1, true
			continue
		}
		width, ok := c.item()
		if !ok {
			break
		}
		s.push(&matched, container{width: width})
		at.box, fresh = c.at, true
	}
	if c.blank() || c.indent() >= 4 {
		s.para = false
		return noPlace
	}
	c.skip(c.indent())
	if at.box >= 0 {
		at.box = c.at
	}
	kind, run := leafOf(c.rest())
	lazy := s.para && !fresh && kind == prose && !endsParagraph(c.rest())
	if !lazy {
		s.open = s.open[:matched]
	}
	s.leaf, s.fence, s.depth = kind, run, len(s.open)
	s.para = kind == prose && !endsParagraph(c.rest())
	if kind != prose {
		s.first(c.rest())
		return noPlace
	}
	at.text = c.at
	return at
}

// push opens a container instead of those that the line did not continue.
func (s *scanner) push(matched *int, o container) {
	s.open = append(s.open[:*matched], o)
	*matched = len(s.open)
	s.para = false
}

// first is inside for the line that opens the leaf.
func (s *scanner) first(rest string) {
	if s.leaf == comment && strings.Contains(rest[2:], "-->") || s.leaf == raw && endsRaw(rest) {
		s.leaf = prose
	}
}
