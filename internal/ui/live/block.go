package live

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/render"
)

// spinner turns once a second.
var spinner = []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")

func spin(now time.Time) string {
	return string(spinner[now.UnixMilli()/pace.Milliseconds()%int64(len(spinner))])
}

// block returns the lines to redraw in place: one drive in full, or several in short. The last
// column and row stay free, so that nothing wraps or scrolls.
func (v *View) block(width, height int) []painted {
	if v.held || v.closed {
		return nil
	}
	var lines []line
	switch live, now := v.drives.running(), v.o.Now(); {
	case v.engines != nil:
		lines = v.engines.show(now, height-1)
	case len(live) == 0:
		return nil
	case len(live) == 1:
		lines = v.showOne(live[0], now, height-1)
	default:
		lines = v.showSeveral(live, now, height-1)
	}
	out := make([]painted, 0, len(lines))
	for _, l := range lines[:min(len(lines), height-1)] {
		l = l.fit(width - 1)
		out = append(out, painted{l.paint(v.o.Color), l.cells()})
	}
	return out
}

// minHeightForGap is the least height for an empty row above the block.
const minHeightForGap = 16

// showOne shows one drive in at most rows rows; its criteria get what the rest leaves.
func (v *View) showOne(d *watched, now time.Time, rows int) (out []line) {
	if rows >= minHeightForGap {
		out = append(out, line{})
	}
	out = append(out, line{{cyan, spin(now) + " "}, {bold, cmp.Or(label(d), "warp drive")}}, line{{plain, "  " + text.JoinNonEmpty(" · ", text.JoinNonEmpty(" · ", phaseText(d), score(d)), flat(d.branch))}})
	rest := append(v.activity(d, now), line{{dim, "  " + meter(d, now)}})
	out = append(out, ticks(d.criteria, min(maxCriteriaRows, rows-len(out)-len(rest)))...)
	return append(out, rest...)
}

// showSeveral shows each drive in two rows, or in one if there are many.
func (v *View) showSeveral(live []*watched, now time.Time, rows int) (out []line) {
	two := 2*len(live) <= rows
	for i, d := range live {
		if !two && i == rows-1 && len(live) > rows {
			return append(out, line{{dim, fmt.Sprintf("  … %d more drives", len(live)-i)}})
		}
		where := text.JoinNonEmpty(" · ", phaseText(d), score(d))
		if !two {
			out = append(out, line{{cyan, spin(now) + " "}, {bold, name(d.issue)}, {plain, " " + where + " · " + flat(d.title)}})
			continue
		}
		doing := line{{plain, "  " + where + " · " + money(d)}}
		if a := v.activity(d, now); len(a) > 0 {
			doing = append(append(doing, span{plain, " · "}), a[0][1:]...)
		}
		out = append(out, line{{cyan, spin(now) + " "}, {bold, label(d)}}, doing)
	}
	return out
}

// label returns a drive's issue and title.
func label(d *watched) string { return text.JoinNonEmpty(" ", name(d.issue), flat(d.title)) }

// separator follows a label that is not empty.
func separator(d *watched) string {
	if label(d) == "" {
		return ""
	}
	return ": "
}

// phaseText returns a drive's phase and chunk.
func phaseText(d *watched) string {
	phase := cmp.Or(strings.ReplaceAll(flat(d.phase), "_", " "), "beginning")
	return text.JoinNonEmpty(" · ", phase, chunk(d.chunk, d.total))
}

// activity returns a wait, running tests, or what the agent does and said.
func (v *View) activity(d *watched, now time.Time) (out []line) {
	margin := span{plain, "  "}
	switch {
	case d.waits():
		return []line{{margin, {yellow, v.wait(d, now)}}}
	case d.agent == "" && d.tests == "":
		return nil
	case d.agent == "":
		return []line{{margin, {plain, d.tests}}}
	}
	out = []line{{margin, {plain, who(d) + "  "}, {cyan, d.tool}, {plain, " " + d.input}}}
	if d.words != "" {
		out = append(out, line{margin, {dim, "“" + d.words + "”"}})
	}
	return out
}

// meter returns what was spent and the time left.
func meter(d *watched, now time.Time) string {
	text := usageText(d, render.Tokens(d.tokens), " · ") + " · " + elapsed(now.Sub(d.began))
	if left, known := d.remaining(now); known {
		text += " · " + render.Left(left) + " left"
	}
	return text
}

// maxCriteriaRows is the most rows for criteria.
const maxCriteriaRows = 12

// ticks shows criteria in at most rows rows. Of a long list it shows those around the current
// ones.
func ticks(list []drive.Criterion, rows int) (out []line) {
	if rows <= 0 || len(list) == 0 {
		return nil
	}
	first, last := window(list, rows)
	for i, c := range list[first:last] {
		hidden := list[:first+1]
		switch {
		case rows >= 3 && i == 0 && first > 0:
		case rows >= 3 && first+i == last-1 && last < len(list):
			hidden = list[last-1:]
		default:
			out = append(out, tick(c))
			continue
		}
		out = append(out, line{{dim, "    … " + summarizeHidden(hidden)}})
	}
	return out
}

// window returns the range to show, centred on the current criteria, or else on the next ones.
func window(list []drive.Criterion, rows int) (first, last int) {
	if len(list) <= rows {
		return 0, len(list)
	}
	doing := func(c drive.Criterion) bool { return c.Doing }
	from := slices.IndexFunc(list, doing)
	to := from
	for to >= 0 && to+1 < len(list) && list[to+1].Doing {
		to++
	}
	if from < 0 {
		from = slices.IndexFunc(list, func(c drive.Criterion) bool { return !c.Done && !c.Skipped })
		to = from
	}
	first = min(max((from+to)/2-rows/2, 0), len(list)-rows)
	return first, first + rows
}

func tick(c drive.Criterion) line {
	mark, style, words := "·", dim, plain
	switch {
	case c.Skipped:
		mark, style = "✗", red
	case c.Done:
		mark, style = "✓", green
	case c.Doing:
		mark, style, words = "▸", cyan, bold
	}
	return line{{style, "  " + mark + " "}, {words, text.JoinNonEmpty(" ", flat(c.ID), flat(c.Text))}}
}

// summarizeHidden summarizes criteria that are not shown.
func summarizeHidden(list []drive.Criterion) string {
	done := countDone(list)
	if done == 0 {
		return fmt.Sprintf("%d more", len(list))
	}
	return fmt.Sprintf("%d more, %d done", len(list), done)
}
