package watch

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// pendingQuestion is an open question and the root of its project.
type pendingQuestion struct {
	feed.Question
	root string
}

// questionToShow returns the chosen entry's question, else the oldest one, and how many wait.
func questionToShow(feeds []*feed.Feed, e *entry) (pendingQuestion, int) {
	var first pendingQuestion
	all := 0
	for _, f := range feeds {
		for n := range f.Questions {
			if f.Questions[n].Taken {
				continue
			}
			if all++; all == 1 {
				first = pendingQuestion{f.Questions[n], f.Root}
			}
		}
	}
	if e != nil && e.item.Question != nil {
		first = pendingQuestion{*e.item.Question, e.feed.Root}
	}
	return first, all
}

// mostOptions is the most options shown; each has a digit.
const mostOptions = 9

// questionPanel shows a question with its options and the time left. While the user answers, one
// option is marked.
func questionPanel(q pendingQuestion, all, width int, now time.Time, a *answering) (out []line) {
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

// answering is the state of a question being answered.
type answering struct {
	question pendingQuestion
	at       int    // the marked option
	typing   bool   // free text
	words    string // the text with its cursor
}

// rows returns the options to choose from, or the typed text.
func (a *answering) rows(q pendingQuestion, width int) (out []line) {
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
