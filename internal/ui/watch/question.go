package watch

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// asked is a question that waits, and the project that it is of.
type asked struct {
	feed.Question
	root string
}

// waiting is the question to show: the chosen entry's, else the oldest of all.
func waiting(feeds []*feed.Feed, e *entry) (asked, int) {
	var first asked
	all := 0
	for _, f := range feeds {
		for n := range f.Questions {
			if f.Questions[n].Taken {
				continue
			}
			if all++; all == 1 {
				first = asked{f.Questions[n], f.Root}
			}
		}
	}
	if e != nil && e.item.Question != nil {
		first = asked{*e.item.Question, e.feed.Root}
	}
	return first, all
}

// mostOptions is how many options are shown, each with its digit.
const mostOptions = 9

// panel is the question that waits, with its options and the time that is left. While it
// is answered, one option is marked.
func panel(q asked, all, width int, now time.Time, a *answering) (out []line) {
	if q.ID == "" {
		return nil
	}
	title := line{{yellow, text.Flat(q.ID)}}
	if q.Issue != "" {
		title = append(title, span{yellow, " " + text.Flat("#"+q.Issue)})
	}
	title = append(title, span{plain, " asks"})
	switch left := q.Deadline.Sub(now); {
	case q.Deadline.IsZero():
	case left > 0:
		title = append(title, span{bold, ", " + render.Left(left) + " left"})
	default:
		title = append(title, span{dim, ", late"})
	}
	if all > 1 {
		title = append(title, span{dim, fmt.Sprintf(", %d more", all-1)})
	}
	out = append(out, rule(width, title))
	for _, l := range wrap(text.Flat(q.Text), width-2, 3) {
		out = append(out, line{{bold, " " + l}})
	}
	if a != nil {
		return append(out, a.rows(q, width)...)
	}
	row := line{}
	for n, o := range q.Options[:min(len(q.Options), mostOptions)] {
		st := plain
		if o == q.Default {
			st = green
		}
		next := slices.Concat(line{{plain, "  "}, {cyan, fmt.Sprint(n + 1)}, {plain, " "}}, say(st, o).cut(width-18))
		if o == q.Default {
			next = append(next, span{dim, " (default)"})
		}
		if row.width() > 0 && row.width()+next.width() > width {
			out, row = append(out, row), line{}
		}
		row = append(row, next...)
	}
	if row.width() > 0 {
		out = append(out, row)
	}
	return out
}

// answering is a question that is being answered.
type answering struct {
	question asked
	at       int    // the option that is marked
	typing   bool   // own words
	words    string // as the input shows them
}

// rows are the options to choose from, or the words that are typed.
func (a *answering) rows(q asked, width int) (out []line) {
	if a.typing {
		return append(out, line{{cyan, " > "}, {plain, a.words}})
	}
	for n, o := range q.Options[:min(len(q.Options), mostOptions)] {
		head, st := "   ", plain
		if n == a.at {
			head, st = " ▌ ", bold
		}
		l := slices.Concat(line{{cyan, head}, {cyan, fmt.Sprint(n+1) + " "}}, say(st, o))
		if o == q.Default {
			l = append(l, span{dim, " (default)"})
		}
		out = append(out, l.cut(width))
	}
	return out
}
