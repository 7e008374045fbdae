package plot

import (
	"fmt"
	"strings"
	"time"
	"warp/internal/core/text"

	"gonum.org/v1/plot"
)

// Bar is a run or a wait in a Gantt chart. Bars with the same Row share a row.
type Bar struct {
	Row  string
	Kind string // plan, code, fix, verify, test or waiting; all others look alike
	From time.Time
	To   time.Time
	Says string // tooltip; defaults to the kind
}

// kinds are the kinds of bars in legend order, with their classes.
var kinds = []key{{"p-plan", "plan"}, {"p-code", "code"}, {"p-verify", "verify"}, {"p-test", "test"}, {"p-waiting", "waiting"}, {"p-other", "other"}}

func kindClass(kind string) string {
	if kind == "fix" {
		kind = "code"
	}
	for _, k := range kinds {
		if k.name == kind {
			return k.class
		}
	}
	return "p-other"
}

// mostRows keeps a chart readable.
const mostRows = 60

// Gantt draws when each row was worked on, and at what.
func Gantt(rows []Bar, from, to time.Time) ([]byte, error) {
	at, names := map[string]int{}, []string{}
	for _, b := range rows {
		if _, known := at[b.Row]; !known && len(names) < mostRows {
			at[b.Row] = len(names)
			names = append(names, b.Row)
		}
	}
	const high = 24
	f := newFigure("Runs over time", float64(26+high*max(1, len(names))))
	if !to.After(from) {
		to = from.Add(time.Minute)
	}
	used, sums := map[string]bool{}, map[string]float64{}
	var list boxes
	for _, b := range rows {
		n, shown := at[b.Row]
		if b.To.Before(b.From) || b.To.Before(from) || b.From.After(to) || !shown {
			continue
		}
		class := kindClass(b.Kind)
		used[class] = true
		sums[class] += b.To.Sub(b.From).Seconds()
		says := b.Kind
		if b.Says != "" {
			says = label(b.Says, 120)
		}
		says = fmt.Sprintf("%s: %s, %s, %s", label(b.Row, 40), says, b.From.Format("15:04"), text.Span(b.To.Sub(b.From).Seconds()))
		y, half := -float64(n), .32
		if class == "p-waiting" {
			half = .1
		}
		list = append(list, box{seconds(latest(b.From, from)), seconds(earliest(b.To, to)), y - half, y + half, ink{class, says}})
	}
	var marks labelledTicks
	for n, name := range names {
		marks = append(marks, plot.Tick{Value: -float64(n), Label: label(name, 16)})
	}
	f.X.Tick.Marker, f.Y.Tick.Marker = clock{from, to}, marks
	if len(marks) == 0 {
		f.X.Tick.Marker = marks
	}
	f.addGrid(true)
	f.Add(list)
	var says []string
	for _, k := range kinds {
		if used[k.class] {
			f.keys = append(f.keys, k)
			says = append(says, k.name+" "+text.Span(sums[k.class]))
		}
	}
	f.caption = "Nothing ran."
	if len(says) > 0 {
		f.caption = "Time by kind: " + strings.Join(says, ", ") + "."
	}
	if cut := countRows(rows) - len(names); cut > 0 {
		f.caption += fmt.Sprintf(" %d more rows are not drawn.", cut)
	}
	f.X.Min, f.X.Max, f.Y.Min, f.Y.Max = seconds(from), seconds(to), -float64(max(1, len(names)))+.4, .6
	return f.render()
}

func countRows(rows []Bar) int {
	seen := map[string]bool{}
	for _, b := range rows {
		seen[b.Row] = true
	}
	return len(seen)
}
