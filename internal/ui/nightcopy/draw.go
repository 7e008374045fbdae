package nightcopy

import (
	"html/template"
	"slices"
	"time"

	"warp/internal/core/text"
	"warp/internal/ui/money"
	"warp/internal/ui/plot"
)

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
	i.Left = max(0, len(i.Runs)-maxRuns)
}

// Shown returns the runs to list.
func (i issue) Shown() []run { return i.Runs[i.Left:] }

func (v *night) draw() (err error) {
	zone := v.From.Location()
	var bars []plot.Bar
	for n := range v.Issues {
		i := &v.Issues[n]
		for k, r := range i.Runs {
			r.From, r.To = r.From.In(zone), r.To.In(zone)
			i.Runs[k] = r
			bars = append(bars, plot.Bar{Row: text.JoinNonEmpty(" ", "#"+i.Issue, shorten(60, i.Title)), Kind: r.Role, From: r.From, To: r.To, Says: text.JoinNonEmpty(" ", r.Role, shorten(60, r.End))})
		}
	}
	v.waits(&bars, zone)
	points, from := money.Spending(v.Feed.Book, v.From)
	var to time.Time
	if n := len(points); n > 0 {
		to = points[n-1].At
	}
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
