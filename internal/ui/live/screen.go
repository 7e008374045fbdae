package live

import (
	"fmt"
	"slices"
	"strings"
)

// SGR codes of the styles.
const (
	plain  = ""
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

// span is text in one style, free of control characters.
type span struct{ style, text string }

// line is one row of the block.
type line []span

// fit shortens a line to width cells.
func (l line) fit(width int) line {
	if l.cells() <= width {
		return l
	}
	for i, s := range l {
		n := cells(s.text)
		if n >= width { // the next span needs a cell, too
			return append(slices.Clone(l[:i]), span{s.style, truncate(s.text, width-1) + "…"})
		}
		width -= n
	}
	return l
}

func (l line) cells() (n int) {
	for _, s := range l {
		n += cells(s.text)
	}
	return n
}

func (l line) paint(color bool) string {
	var b strings.Builder
	for _, s := range l {
		if color && s.style != plain {
			fmt.Fprintf(&b, "\x1b[%sm%s\x1b[0m", s.style, s.text)
		} else {
			b.WriteString(s.text)
		}
	}
	return b.String()
}

// painted is a row of the block as written to the terminal.
type painted struct {
	text  string
	cells int
}

// screen is the end of the terminal's output: the block, with the cursor on the row below.
type screen struct {
	block []painted
	width int // of the terminal when it was drawn
}

// frame returns the output that replaces the current block, with lines that stay above it. It
// turns wrapping off inside the block, whatever a terminal considers wide.
func (s *screen) frame(above []string, block []painted, width, height int) string {
	if len(above) == 0 && slices.Equal(block, s.block) && (width == s.width || len(block) == 0) {
		return ""
	}
	var b strings.Builder
	up := min(s.rows(width), height-1)
	back := "\r"
	if up > 0 {
		back = fmt.Sprintf("\r\x1b[%dA", up)
	}
	b.WriteString(back)
	afresh := len(above) > 0 || width != s.width || len(block) == 0
	if afresh {
		// Erase row by row: some terminals move what is erased from the top of the screen into
		// the scrollback.
		b.WriteString(strings.Repeat("\x1b[2K\x1b[1B", up) + "\x1b[2K" + back)
	}
	for _, l := range above {
		b.WriteString(l + "\r\n")
	}
	if len(block) > 0 {
		b.WriteString("\x1b[?7l")
		for i, p := range block {
			if afresh || i >= len(s.block) || s.block[i] != p {
				b.WriteString(p.text + "\x1b[K")
			}
			b.WriteString("\r\n")
		}
		b.WriteString("\x1b[?7h\x1b[J")
	}
	s.block, s.width = block, width
	return b.String()
}

// rows returns the block's current height: a terminal that became narrower has wrapped it.
func (s *screen) rows(width int) (n int) {
	for _, p := range s.block {
		n += max(1, (p.cells+width-1)/width)
	}
	return n
}
