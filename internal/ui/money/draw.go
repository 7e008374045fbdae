package money

import "warp/internal/ui/plot"

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
