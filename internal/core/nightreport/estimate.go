package nightreport

import (
	"slices"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
)

// Past is a requirement that was merged here, from which the next ones are estimated.
type Past struct {
	Criteria int
	MicroUSD int64
	Took     time.Duration
}

// Estimate is what a night will probably cost and take. It is a range, from the cost of merged
// criteria of this project: the middle half if there are enough of them, else all of it.
type Estimate struct {
	Requirements int           `json:"from_requirements"`
	Criteria     int           `json:"from_criteria"`
	Low          int64         `json:"low_micro_usd"`
	High         int64         `json:"high_micro_usd"`
	Shortest     time.Duration `json:"shortest_ns"`
	Longest      time.Duration `json:"longest_ns"`
}

// Known reports whether there is a history to estimate from.
func (e Estimate) Known() bool { return e.Requirements > 0 }

// enough is how many requirements make quartiles better than extremes.
const enough = 4

// Predict estimates a number of criteria, worked on by parallel drives.
func Predict(past []Past, criteria, parallel int) Estimate {
	var money, took []int64
	var e Estimate
	for _, p := range past {
		if p.Criteria <= 0 {
			continue
		}
		e.Requirements++
		e.Criteria += p.Criteria
		money = append(money, p.MicroUSD/int64(p.Criteria))
		took = append(took, int64(p.Took)/int64(p.Criteria))
	}
	if e.Requirements == 0 {
		return e
	}
	low, high := spread(money)
	e.Low, e.High = low*int64(criteria), high*int64(criteria)
	low, high = spread(took)
	each := int64(max(1, parallel))
	e.Shortest, e.Longest = time.Duration(low*int64(criteria)/each), time.Duration(high*int64(criteria)/each)
	return e
}

// spread returns the middle half of values, or all of them if they are few.
func spread(values []int64) (low, high int64) {
	slices.Sort(values)
	n := len(values)
	if n < enough {
		return values[0], values[n-1]
	}
	return values[n/4], values[n-1-n/4]
}

// History returns what was merged, from the journal.
func History(book *evidence.Book) (list []Past) {
	for _, o := range book.Outcomes {
		if o.Row.Result != evidence.Merged && o.Row.Result != evidence.Pull {
			continue
		}
		page := book.Of(o.Row.Issue, o.Row.Epoch)
		p := Past{Took: between(o.Row.Started, o.At)}
		for _, r := range page.Runs {
			p.MicroUSD += r.Row.MicroUSD
		}
		for _, c := range page.Commits {
			if !c.Row.WIP {
				p.Criteria += len(c.Row.Criteria)
			}
		}
		list = append(list, p)
	}
	return list
}

func between(from, to string) time.Duration {
	end, err := time.Parse(time.RFC3339, to)
	if err != nil {
		return 0
	}
	return event.Since(from, end)
}
