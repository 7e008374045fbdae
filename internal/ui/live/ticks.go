package live

import (
	"fmt"
	"slices"

	"warp/internal/core/text"
	"warp/internal/engine/policy/drive"
)

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
