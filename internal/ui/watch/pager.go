package watch

import (
	"fmt"
	"strings"

	"warp/internal/core/text"
)

// pager shows a long text instead of queue and detail.
type pager struct {
	title string
	lines []line
	at    int
}

// Bounds of a shown text: it may be a log with a gigabyte in one line.
const (
	mostLines  = 20_000
	longestRow = 2_000
)

// newPager returns a pager of untrusted text, scrolled to its end if end is set.
func newPager(title, words string, end bool, paint func(string) style) *pager {
	p := &pager{title: title}
	for row := range strings.Lines(words) {
		if len(p.lines) == mostLines {
			p.lines = append(p.lines, line{{yellow, "… more is not shown"}})
			break
		}
		row = strings.TrimRight(row, "\r\n")
		st := plain
		if paint != nil {
			st = paint(row)
		}
		row = strings.ReplaceAll(text.Clip(row, longestRow), "\t", "    ")
		p.lines = append(p.lines, line{{st, text.VisibleLine(row)}})
	}
	if len(p.lines) == 0 {
		p.lines = []line{{{dim, "It is empty."}}}
	}
	if end {
		p.at = len(p.lines)
	}
	return p
}

func diffStyle(row string) style {
	for _, c := range []struct {
		begins string
		style  style
	}{{"diff ", heading}, {"+++", bold}, {"---", bold}, {"@@", cyan}, {"+", green}, {"-", red}} {
		if strings.HasPrefix(row, c.begins) {
			return c.style
		}
	}
	return plain
}

// rows returns the visible part.
func (p *pager) rows(width, height int) []line {
	height = max(height-1, 1)
	p.at = max(0, min(p.at, len(p.lines)-height))
	end := min(p.at+height, len(p.lines))
	out := []line{rule(width, line{{heading, text.Flat(p.title)}, {dim, fmt.Sprintf(" %d–%d of %d", p.at+1, end, len(p.lines))}})}
	return append(out, p.lines[p.at:end]...)
}

// scrolls maps the keys of a pager to the lines or pages they move.
var scrolls = map[string]struct{ lines, pages int }{
	"up": {-1, 0}, "k": {-1, 0}, "down": {1, 0}, "j": {1, 0}, "enter": {1, 0}, "pgup": {0, -1}, "ctrl+u": {0, -1}, "b": {0, -1}, "pgdown": {0, 1}, "space": {0, 1}, "ctrl+d": {0, 1},
	"home": {-1 << 30, 0}, "g": {-1 << 30, 0}, "end": {1 << 30, 0}, "G": {1 << 30, 0},
}
