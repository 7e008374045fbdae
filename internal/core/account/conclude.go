package account

import (
	"slices"

	"warp/internal/core/evidence"
)

// Conclude returns the outcome of each issue of a night, from the ends of all its drives, oldest
// first. The last end of an issue counts; money and time are those of all its drives: a followed
// pull request has one for each cycle.
func Conclude(book *evidence.Book, ends []evidence.Outcome, now string) (list []End) {
	for i, o := range ends {
		if slices.ContainsFunc(ends[i+1:], func(later evidence.Outcome) bool { return later.Issue == o.Issue }) {
			continue
		}
		e := End{Outcome: o}
		for j, drive := range ends[:i+1] {
			resumed := func(later evidence.Outcome) bool { return later.Issue == o.Issue && later.Epoch == drive.Epoch }
			if drive.Issue == o.Issue && !slices.ContainsFunc(ends[j+1:i+1], resumed) {
				e.add(book, drive, now)
			}
		}
		list = append(list, e)
	}
	return list
}

// add counts the usage of one drive.
func (e *End) add(book *evidence.Book, o evidence.Outcome, now string) {
	page := book.Of(o.Issue, o.Epoch)
	ended := now
	if last, ok := evidence.Last(page.Outcomes, nil); ok {
		ended = last.At
	}
	e.Seconds += between(o.Started, ended).Seconds()
	if o.Epoch == 0 { // it did not begin: the page has every drive of the issue
		return
	}
	for _, r := range page.Runs {
		e.MicroUSD += r.Row.MicroUSD
		e.Unpriced = e.Unpriced || r.Row.Unpriced
		e.Tokens += r.Row.Input + r.Row.Output + r.Row.CacheRead + r.Row.CacheWrite
	}
}
