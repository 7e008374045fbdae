package testoutput

import (
	"slices"
	"strconv"
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
	text := strings.ToValidUTF8(plain(output), "\ufffd")
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r < 0xa0) {
			return -1
		}
		return r
	}, text)
	text = strings.Trim(text, "\n")
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	longest := min(1000, max(most/4, 80))
	for i, l := range lines {
		lines[i] = shortened(strings.TrimRight(l, " \t"), longest)
	}
	keep, starts := failingLines(lines)
	p := page{lines, keep, starts}
	if slices.Contains(keep, true) {
		p.fillSmallGaps()
	} else {
		p.keepLast(most)
	}
	p.fit(most)
	return p.render(most)
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
}

// note is the most that the line about what was left out takes.
const note = len("[… 1,000,000,000 lines left out …]\n")

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

func (p *page) size(r span) int {
	n := 0
	for _, l := range p.lines[r.from:r.to] {
		n += len(l) + 1
	}
	return n
}

// fillSmallGaps keeps what is shorter than the line that would stand for it.
func (p *page) fillSmallGaps() {
	for _, gap := range p.spans(false) {
		if p.size(gap) < note {
			p.set(gap, true)
		}
	}
}

func (p *page) set(r span, keep bool) {
	for i := r.from; i < r.to; i++ {
		p.keep[i] = keep
	}
}

// keepLast keeps as many of the last lines as there is room for.
func (p *page) keepLast(most int) {
	if all := (span{0, len(p.lines)}); p.size(all) <= most {
		p.set(all, true)
		return
	}
	room := most - note
	for i := len(p.lines) - 1; i >= 0; i-- {
		if room -= len(p.lines[i]) + 1; room < 0 {
			return
		}
		p.keep[i] = true
	}
}

// enough is what a failure is worth showing with.
const enough = 300

// fit gives every failure its share of the room. Where there are too many of
// them, the first are shown.
func (p *page) fit(most int) {
	list := p.spans(true)
	size := len(p.spans(false)) * note
	for _, f := range list {
		size += p.size(f)
	}
	if size <= most {
		return
	}
	list, room := p.admit(list, most-note)
	slices.SortStableFunc(list, func(a, b span) int { return p.size(a) - p.size(b) })
	for i, f := range list { // those that need less leave the rest to the others
		share := room / (len(list) - i)
		if p.size(f) > share {
			for _, large := range list[i:] {
				p.cut(large, share)
			}
			return
		}
		room -= p.size(f)
	}
}

// admit keeps as many failures as there is room for enough of each, one at
// least, and tells what room is left beside the notes.
func (p *page) admit(list []span, room int) ([]span, int) {
	notes, least := 0, 0
	for i, f := range list {
		n, size := 0, p.size(f)
		if i == 0 || list[i-1].to < f.from {
			n += note
		}
		if size > enough {
			n += note
		}
		if i > 0 && notes+n+least+min(size, enough) > room {
			for _, f := range list[i:] {
				p.set(f, false)
			}
			return list[:i], room - notes
		}
		notes, least = notes+n, least+min(size, enough)
	}
	return list, room - notes
}

// cut keeps the two ends of a failure, the first twice as long as the last.
func (p *page) cut(b span, share int) {
	p.set(b, false)
	head := share
	for i := b.to - 1; i > b.from && head-len(p.lines[i])-1 >= share*2/3; i-- {
		p.keep[i] = true
		head -= len(p.lines[i]) + 1
	}
	for i := b.from; i < b.to && !p.keep[i]; i++ {
		if head -= len(p.lines[i]) + 1; head < 0 {
			return
		}
		p.keep[i] = true
	}
}

// render writes the page, or nothing where even a note has no room.
func (p *page) render(most int) string {
	var b strings.Builder
	left := 0
	say := func() {
		switch {
		case left == 1:
			b.WriteString("[… 1 line left out …]\n")
		case left > 1:
			b.WriteString("[… " + grouped(left) + " lines left out …]\n")
		}
		left = 0
	}
	for i, line := range p.lines {
		if !p.keep[i] {
			left++
			continue
		}
		say()
		b.WriteString(line + "\n")
	}
	say()
	if b.Len() > most {
		return ""
	}
	return b.String()
}

// grouped is a number with a comma between thousands.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// LastLines is the last n lines of a text, below a line that says how many were
// left out. A newline at the very end starts no line. A text that has
// no more than n lines is returned as it is.
func LastLines(text string, n int) string {
	n = max(n, 0)
	body := strings.TrimSuffix(text, "\n")
	if text == "" {
		return text
	}
	at := len(body)
	for range n {
		if at = strings.LastIndexByte(body[:max(at, 0)], '\n'); at < 0 {
			return text
		}
	}
	left := strings.Count(body[:at], "\n") + 1
	header := "[" + strconv.Itoa(left) + " lines left out]\n"
	if left == 1 {
		header = "[1 line left out]\n"
	}
	if n == 0 {
		return header
	}
	return header + text[at+1:]
}
