package money

import (
	"slices"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/ui/plot"
)

// mostPoints is how many points a plot can show.
const mostPoints = 200

// Spending returns the running total of costs after each run since a time, in that time's zone,
// and when the first of them began.
func Spending(b *evidence.Book, since time.Time) (points []plot.Point, began time.Time) {
	for _, e := range slices.Concat(b.Runs, b.Others) {
		at, err := time.Parse(time.RFC3339, e.At)
		if err != nil || at.Before(since) {
			continue
		}
		at = at.In(since.Location())
		points = append(points, plot.Point{At: at, MicroUSD: e.Row.MicroUSD})
		if start := at.Add(-time.Duration(e.Row.Seconds * float64(time.Second))); began.IsZero() || start.Before(began) {
			began = start
		}
	}
	slices.SortStableFunc(points, func(a, b plot.Point) int { return a.At.Compare(b.At) })
	var sum int64
	every, all := len(points)/mostPoints+1, points
	points = nil
	for i, p := range all {
		if sum += p.MicroUSD; i%every == 0 || i == len(all)-1 {
			points = append(points, plot.Point{At: p.At, MicroUSD: sum})
		}
	}
	return points, began
}

// ByDay returns each day's cost by model, for a plot.
func (s Sheet) ByDay() (days []plot.Day) {
	for _, d := range s.Days {
		one := plot.Day{Date: d.Date}
		for _, m := range d.Models {
			one.Parts = append(one.Parts, plot.Part{Name: m.Name, Amount: m.Cost.MicroUSD})
		}
		days = append(days, one)
	}
	return days
}

// ByKind returns the tokens by kind, for a plot and its table.
func (t Tokens) ByKind() []plot.Part {
	return []plot.Part{{Name: "input", Amount: t.Input}, {Name: "output", Amount: t.Output}, {Name: "read from the cache", Amount: t.CacheRead}, {Name: "written to the cache", Amount: t.CacheWrite}}
}
