package testoutput

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"warp/internal/core/text"
)

// Sizes of an excerpt in bytes.
const (
	enough   = 300 // what a failure is worth showing with
	ruler    = 20
	smallGap = 38 // what is left out is noted from here on
)

// Excerpt is the failing part of a run's output, for a person or an agent who fixes
// it: the blocks that tell of failures, with a line in place of what was left out
// between them; the last lines, where no failure is recognised. It is never longer than
// most bytes, and has no terminal control sequences. Whole lines are left out, from the
// middle of a failure rather than from its ends; but a line too long to be read is cut
// itself, and ends in "…". Every failure has the same room; where there are too many, the
// first are shown.
func Excerpt(output string, most int) string {
	said := strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(plain(output), "\ufffd"))
	if said = strings.Trim(said, "\n"); said == "" {
		return ""
	}
	lines := strings.Split(said, "\n")
	for i, l := range lines {
		lines[i] = text.Clip(strings.TrimRight(l, " \t"), min(1000, max(most/4, 80)))
		if len(l) > ruler && l[0] < utf8.RuneSelf && strings.Trim(l, l[:1]) == "" {
			lines[i] = l[:ruler]
		}
	}
	p := page{lines: lines, most: most}
	failures := findSpans(lines)
	if len(failures) == 0 {
		failures, p.lastOnly = []span{{0, len(lines)}}, true
	}
	n := max(1, sort.Search(len(failures), func(n int) bool { return p.show(failures[:n+1], enough) == "" }))
	share := sort.Search(most, func(share int) bool { return p.show(failures[:n], share+1) == "" })
	return p.show(failures[:n], share)
}

// span is some lines that follow each other.
type span struct{ from, to int }

// page is an output of which some lines are to be shown.
type page struct {
	lines    []string
	most     int  // bytes
	lastOnly bool // of each span, in place of both ends
}

// show writes so many bytes of each span; nothing at all where there is no room for it.
func (p *page) show(spans []span, share int) string {
	var b strings.Builder
	shown := 0 // the lines before it are written, or noted
	for _, s := range append(slices.Clip(spans), span{len(p.lines), len(p.lines)}) {
		head, tail := p.ends(s, share)
		b.WriteString(p.gap(shown, s.from) + p.text(s.from, head) + p.gap(head, tail) + p.text(tail, s.to))
		if shown = s.to; b.Len() > p.most {
			return ""
		}
	}
	return b.String()
}

// ends is where the first lines of a span end and the last ones begin; the first have
// twice the room.
func (p *page) ends(s span, share int) (head, tail int) {
	head, tail = s.from, s.to
	last := share / 3
	if p.lastOnly {
		last = share
	}
	for tail > head && len(p.lines[tail-1]) < last {
		tail--
		last -= len(p.lines[tail]) + 1
		share -= len(p.lines[tail]) + 1
	}
	for !p.lastOnly && head < tail && len(p.lines[head]) < share {
		share -= len(p.lines[head]) + 1
		head++
	}
	return head, tail
}

func (p *page) text(from, to int) string {
	if from == to {
		return ""
	}
	return strings.Join(p.lines[from:to], "\n") + "\n"
}

// gap is the line about what was left out, or what was left out where that is shorter.
func (p *page) gap(from, to int) string {
	if said := p.text(from, min(to, from+smallGap)); len(said) < smallGap {
		return said
	}
	return "[… " + text.Count(to-from, "line") + " left out …]\n"
}
