package testoutput

import (
	"sort"
	"strings"
	"unicode/utf8"

	"warp/internal/core/text"
)

const (
	enough   = 300 // bytes that make a failure worth showing
	ruler    = 20
	smallGap = 38 // bytes; larger gaps get a note
)

// Excerpt returns the failing part of a run's output, for a person or an agent who fixes it: the
// blocks of failures, or the last lines if none is recognised. It is never longer than most bytes,
// and has no terminal control sequences. A note replaces omitted lines, which come from the middle
// of a failure rather than its ends; an overlong line ends in "…". Every failure gets the same
// space; if there are too many, the first ones are shown.
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
	failures := findSpans(lines)
	lastOnly := len(failures) == 0
	if lastOnly {
		failures = []span{{0, len(lines)}}
	}
	show := func(n, share int) string {
		shown := make([]bool, len(lines))
		for _, s := range failures[:n] {
			s.markEnds(lines, shown, share, lastOnly)
		}
		return writeShown(lines, shown, most)
	}
	n := max(1, sort.Search(len(failures), func(n int) bool { return show(n+1, enough) == "" }))
	share := sort.Search(most, func(share int) bool { return show(n, share+1) == "" })
	return show(n, share)
}

// span is a range of lines.
type span struct{ from, to int }

// markEnds selects up to share bytes of the first and last lines of a span; the first lines get
// twice the space.
func (s span) markEnds(lines []string, shown []bool, share int, lastOnly bool) {
	last, tail := share/3, s.to
	if lastOnly {
		last = share
	}
	for ; tail > s.from && len(lines[tail-1]) < last; tail-- {
		shown[tail-1] = true
		last -= len(lines[tail-1]) + 1
		share -= len(lines[tail-1]) + 1
	}
	for i := s.from; !lastOnly && i < tail && len(lines[i]) < share; i++ {
		shown[i] = true
		share -= len(lines[i]) + 1
	}
}

// writeShown writes the selected lines, with a note in place of others unless these are shorter. It
// returns "" if that does not fit.
func writeShown(lines []string, shown []bool, most int) string {
	var b strings.Builder
	for from, to := 0, 0; from < len(lines) && b.Len() <= most; from = to {
		for to < len(lines) && shown[to] == shown[from] {
			to++
		}
		said := strings.Join(lines[from:to], "\n") + "\n"
		if !shown[from] && len(said) >= smallGap {
			said = "[… " + text.Count(to-from, "line") + " left out …]\n"
		}
		b.WriteString(said)
	}
	if b.Len() > most {
		return ""
	}
	return b.String()
}
