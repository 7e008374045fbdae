package testoutput

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"warp/internal/core/text"
)

// Excerpt is the failing part of a run's output, for a person or an agent who fixes
// it: the blocks that tell of failures, with a line in place of what was left out
// between them; the last lines, where no failure is recognised. It is never longer than
// most bytes, and has no terminal control sequences. Whole lines are left out, from the
// middle of a block rather than from its ends; but a line too long to be read is cut
// itself, and ends in "…".
func Excerpt(output string, most int) string {
	said := strings.ToValidUTF8(plain(output), "\ufffd")
	said = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return -1
		}
		return r
	}, said)
	said = strings.Trim(said, "\n")
	if said == "" {
		return ""
	}
	lines := strings.Split(said, "\n")
	longest := min(1000, max(most/4, 80))
	for i, l := range lines {
		lines[i] = shortened(strings.TrimRight(l, " \t"), longest)
	}
	keep, starts := failingLines(lines)
	p := page{lines, keep, starts, most}
	if slices.Contains(keep, true) {
		p.fillSmallGaps()
		p.fitFailures()
	} else {
		p.keepLast()
	}
	return p.render()
}

// shortened cuts a long line, and any ruler.
func shortened(line string, most int) string {
	if len(line) > 20 && line[0] < utf8.RuneSelf && strings.Trim(line, line[:1]) == "" {
		return line[:20]
	}
	return text.Clip(line, most)
}

// page is an output with the lines that are to be shown.
type page struct {
	lines  []string
	keep   []bool
	starts []bool // a failure begins here
	most   int    // bytes
}

// span is some lines that follow each other.
type span struct{ from, to int }

// spans lists the lines that are kept, each failure by itself, or those that are not.
func (p *page) spans(kept bool) (list []span) {
	for i, k := range p.keep {
		switch {
		case k != kept:
		case i > 0 && p.keep[i-1] == kept && !(kept && p.starts[i]):
			list[len(list)-1].to++
		default:
			list = append(list, span{i, i + 1})
		}
	}
	return list
}

func (p *page) set(r span, keep bool) {
	for i := r.from; i < r.to; i++ {
		p.keep[i] = keep
	}
}

// smallGap is what the line about what was left out takes at most.
const smallGap = len("[… 1,000,000,000 lines left out …]")

func (p *page) fillSmallGaps() {
	for _, gap := range p.spans(false) {
		if len(strings.Join(p.lines[gap.from:gap.to], "\n")) < smallGap {
			p.set(gap, true)
		}
	}
}

// keepLast keeps as many of the last lines as there is room for.
func (p *page) keepLast() {
	count := len(p.lines)
	fits := func(n int) bool {
		p.set(span{0, count - n}, false)
		p.set(span{count - n, count}, true)
		return p.render() != ""
	}
	fits(sort.Search(count, func(n int) bool { return !fits(n + 1) }))
}

// enough is what a failure is worth showing with.
const enough = 300

// fitFailures gives every failure its share of the room: those that need less leave the
// rest to the others. Where there are too many of them, the first are shown.
func (p *page) fitFailures() {
	failures := p.spans(true)
	fits := func(n, share int) bool {
		for i, f := range failures {
			p.set(f, false)
			if i < n {
				p.keepEnds(f, share)
			}
		}
		return p.render() != ""
	}
	if fits(len(failures), p.most) {
		return
	}
	n := max(1, sort.Search(len(failures), func(n int) bool { return !fits(n+1, enough) }))
	fits(n, sort.Search(p.most, func(share int) bool { return !fits(n, share+1) }))
}

// keepEnds keeps the two ends of a failure, the first twice as long as the last.
func (p *page) keepEnds(f span, share int) {
	head, tail, room := f.from, f.to, share
	for tail > head+1 && room-len(p.lines[tail-1])-1 >= share*2/3 {
		tail--
		room -= len(p.lines[tail]) + 1
	}
	for head < tail && room > len(p.lines[head]) {
		room -= len(p.lines[head]) + 1
		head++
	}
	p.set(span{f.from, head}, true)
	p.set(span{tail, f.to}, true)
}

// render writes the page, or nothing where it has no room.
func (p *page) render() string {
	var b strings.Builder
	left := 0
	for i, line := range p.lines {
		if !p.keep[i] {
			left++
			continue
		}
		b.WriteString(noteLeftOut(left) + line + "\n")
		if left = 0; b.Len() > p.most {
			return ""
		}
	}
	if b.WriteString(noteLeftOut(left)); b.Len() > p.most {
		return ""
	}
	return b.String()
}

func noteLeftOut(lines int) string {
	if lines == 0 {
		return ""
	}
	return "[… " + text.Count(lines, "line") + " left out …]\n"
}

// LastLines is the last n lines of a text, below a line that says how many were left
// out. A text that has no more than n lines is returned as it is.
func LastLines(said string, n int) string {
	lines := slices.Collect(strings.Lines(said))
	left := len(lines) - max(n, 0)
	if left <= 0 {
		return said
	}
	return "[" + text.Count(left, "line") + " left out]\n" + strings.Join(lines[left:], "")
}
