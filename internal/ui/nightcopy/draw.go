package nightcopy

import (
	"html/template"
	"slices"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/plot"
)

// kinds maps roles to colours.
var kinds = map[string]string{"plan": "plan", "code": "code", "fix": "code", "verify": "verify", "test": "test"}

func (i *issue) add(r run, at string, seconds float64) {
	end, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return // it has no place in time
	}
	r.From, r.To = end.Add(-time.Duration(seconds*float64(time.Second))), end
	i.Runs = append(i.Runs, r)
}

func (i *issue) sort() {
	slices.SortStableFunc(i.Runs, func(a, b run) int { return a.From.Compare(b.From) })
	if i.Left = len(i.Runs) - maxRuns; i.Left < 0 {
		i.Left = 0
	}
}

// Shown returns the runs to list.
func (i issue) Shown() []run { return i.Runs[i.Left:] }

// draw draws the plots.
func (v *night) draw() (err error) {
	zone := v.From.Location()
	var bars []plot.Bar
	for n := range v.Issues {
		i := &v.Issues[n]
		for k, r := range i.Runs {
			r.From, r.To = r.From.In(zone), r.To.In(zone)
			i.Runs[k] = r
			bars = append(bars, plot.Bar{Row: text.JoinNonEmpty(" ", "#"+i.Issue, shorten(60, i.Title)), Kind: kinds[r.Role], From: r.From, To: r.To, Says: text.JoinNonEmpty(" ", r.Role, shorten(60, r.End))})
		}
	}
	v.waits(&bars, zone)
	points, from, to := v.spending(zone)
	for _, b := range bars {
		from, to = earlier(from, b.From), later(to, b.To)
	}
	if len(bars) > 0 {
		if v.Gantt, err = figureHTML(plot.Gantt(bars, from, to)); err != nil {
			return err
		}
	}
	if len(points) > 0 {
		if v.Spent, err = figureHTML(plot.BurnDown(plot.Burn{From: from, Now: to, Points: points})); err != nil {
			return err
		}
		if v.Kinds, err = figureHTML(plot.Share("Tokens by kind", v.Money.Tokens.ByKind())); err != nil {
			return err
		}
	}
	if len(v.Money.Days) > 2 { // a night touches two days
		v.ByDay, err = figureHTML(plot.Stacked(v.Money.ByDay()))
	}
	return err
}

// waits adds bars for the time a question waited for its answer.
func (v *night) waits(bars *[]plot.Bar, zone *time.Location) {
	for _, q := range v.Feed.Inbox {
		end := q.AnsweredAt
		if end.IsZero() {
			end = q.Defaulted
		}
		if end.IsZero() {
			end = v.Now
		}
		for _, i := range v.Issues {
			if i.Issue == q.Issue && q.Issue != "" && !end.Before(v.From) && end.After(q.Asked) {
				*bars = append(*bars, plot.Bar{Row: text.JoinNonEmpty(" ", "#"+i.Issue, shorten(60, i.Title)), Kind: "waiting", From: later(q.Asked, v.From).In(zone), To: end.In(zone), Says: "waiting: " + shorten(60, q.Text)})
			}
		}
	}
}

// spending returns the running total of costs after each run, and its time span.
func (v *night) spending(zone *time.Location) (points []plot.Point, from, to time.Time) {
	for _, list := range [][]evidence.Entry[evidence.Run]{v.Feed.Book.Runs, v.Feed.Book.Others} {
		for _, e := range list {
			if at, err := time.Parse(time.RFC3339, e.At); err == nil && !at.Before(v.From) {
				at = at.In(zone)
				points = append(points, plot.Point{At: at, MicroUSD: e.Row.MicroUSD})
				from, to = earlier(from, at.Add(-time.Duration(e.Row.Seconds*float64(time.Second)))), later(to, at)
			}
		}
	}
	slices.SortStableFunc(points, func(a, b plot.Point) int { return a.At.Compare(b.At) })
	for i := range points {
		if i > 0 {
			points[i].MicroUSD += points[i-1].MicroUSD
		}
	}
	return thinPoints(points), from, to
}

// thinPoints drops points if there are more than a plot can show.
func thinPoints(points []plot.Point) (list []plot.Point) {
	every := len(points)/200 + 1
	for i, p := range points {
		if i%every == 0 || i == len(points)-1 {
			list = append(list, p)
		}
	}
	return list
}

// earlier returns the earlier time; a may be zero.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// figureHTML returns a figure as HTML; plot escapes every name in it.
func figureHTML(figure []byte, err error) (template.HTML, error) { return template.HTML(figure), err }
