// Package money adds up what agents have cost: by day and model, issue, merged criterion, and
// kind of token. It counts the evidence it is given, and knows no file, clock or screen.
package money

import (
	"cmp"
	"slices"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/ui/plot"
)

// Fate is the outcome of the work that money was spent on.
type Fate string

// The outcomes.
const (
	Merged    Fate = "merged"     // or its pull request is open
	NotMerged Fate = "not merged" // failed, stopped, or only partly done
	UnderWay  Fate = "under way"  // no end yet, or waiting for a person or budget
	Other     Fate = "no issue"   // sessions and workflows without an issue
)

// fateOfResult maps results to outcomes; all others are under way.
var fateOfResult = map[evidence.Result]Fate{
	evidence.Merged: Merged, evidence.Pull: Merged,
	evidence.Failed: NotMerged, evidence.Stopped: NotMerged, evidence.Partly: NotMerged,
}

// Day is the cost of a day.
type Day struct {
	Date   time.Time // at midnight
	Cost   evidence.Cost
	Models []Model // sorted by name
}

// Model is the cost of a model.
type Model struct {
	Name string
	Cost evidence.Cost
}

// Work is the cost of an issue, a session or a workflow.
type Work struct {
	Issue    string // "" if it is none
	Name     string // if it is not an issue
	Title    string
	Fate     Fate
	Criteria int // number of criteria met
	Cost     evidence.Cost
	ended    time.Time
}

// Tokens counts tokens by kind.
type Tokens struct{ Input, Output, CacheRead, CacheWrite int64 }

// Sheet is the report of costs.
type Sheet struct {
	Days     []Day  // every day from the first to the last with a run; at most mostDays
	Works    []Work // most expensive first
	Fates    map[Fate]evidence.Cost
	Models   []Model // most expensive first
	Tokens   Tokens
	Total    evidence.Cost
	Criteria int          // met criteria of merged issues
	Trend    []plot.Point // cost per merged criterion, for each day with a merge
}

// PerCriterion returns the average cost of a merged criterion, including failed work; false if
// none was merged.
func (s Sheet) PerCriterion() (each evidence.Cost, known bool) {
	if s.Criteria == 0 {
		return each, false
	}
	done, lost := s.Fates[Merged], s.Fates[NotMerged]
	return evidence.Cost{MicroUSD: (done.MicroUSD + lost.MicroUSD) / int64(s.Criteria), Unpriced: done.Unpriced + lost.Unpriced}, true
}

// mostDays bounds the list of days: a wrong clock must not create a million.
const mostDays = 400

// Count adds up the runs since a time, by day in that time's zone. name returns the display name
// of work without an issue.
func Count(b *evidence.Book, since time.Time, name func(work string) string) Sheet {
	s := Sheet{Fates: map[Fate]evidence.Cost{}}
	works := map[string]*Work{}
	for _, e := range slices.Concat(b.Runs, b.Others) {
		at, err := time.Parse(time.RFC3339, e.At)
		if err != nil || at.Before(since) {
			continue
		}
		s.addRun(e.Row, at.In(since.Location()))
		key := e.Row.Issue
		if e.Row.Work != "" {
			key = "work " + e.Row.Work
		}
		w := works[key]
		if w == nil {
			w = &Work{Issue: e.Row.Issue, Fate: Other}
			if e.Row.Work != "" {
				w.Issue, w.Name = "", name(e.Row.Work)
			}
			works[key] = w
		}
		w.Cost.Add(e.Row)
	}
	for _, w := range works {
		w.setFate(b, since.Location())
		cost := s.Fates[w.Fate]
		cost.Tokens += w.Cost.Tokens
		cost.MicroUSD += w.Cost.MicroUSD
		cost.Runs += w.Cost.Runs
		cost.Unpriced += w.Cost.Unpriced
		cost.Seconds += w.Cost.Seconds
		s.Fates[w.Fate] = cost
		if w.Fate == Merged {
			s.Criteria += w.Criteria
		}
		s.Works = append(s.Works, *w)
	}
	slices.SortFunc(s.Works, func(a, b Work) int {
		return cmp.Or(cmp.Compare(b.Cost.MicroUSD, a.Cost.MicroUSD), cmp.Compare(len(a.Issue), len(b.Issue)), cmp.Compare(a.Issue, b.Issue), cmp.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(s.Models, func(a, b Model) int {
		return cmp.Or(cmp.Compare(b.Cost.MicroUSD, a.Cost.MicroUSD), cmp.Compare(a.Name, b.Name))
	})
	s.fillDays()
	s.computeTrend()
	return s
}

func (s *Sheet) addRun(r evidence.Run, at time.Time) {
	s.Total.Add(r)
	s.Tokens.Input += r.Input
	s.Tokens.Output += r.Output
	s.Tokens.CacheRead += r.CacheRead
	s.Tokens.CacheWrite += r.CacheWrite
	model := cmp.Or(r.Model, r.Agent, "unknown")
	addModel(&s.Models, model, r)
	day := midnight(at)
	i, known := slices.BinarySearchFunc(s.Days, day, func(d Day, t time.Time) int { return d.Date.Compare(t) })
	if !known {
		s.Days = slices.Insert(s.Days, i, Day{Date: day})
	}
	s.Days[i].Cost.Add(r)
	addModel(&s.Days[i].Models, model, r)
}

func addModel(list *[]Model, name string, r evidence.Run) {
	i := slices.IndexFunc(*list, func(m Model) bool { return m.Name == name })
	if i < 0 {
		i = len(*list)
		*list = append(*list, Model{Name: name})
	}
	(*list)[i].Cost.Add(r)
}

// setFate determines the outcome of the work.
func (w *Work) setFate(b *evidence.Book, zone *time.Location) {
	if w.Issue == "" {
		return
	}
	of := b.Of(w.Issue, 0)
	account := of.Account(w.Issue)
	w.Title, w.Criteria, w.Fate = account.Title, account.Good(), UnderWay
	end, ended := evidence.Last(of.Outcomes, nil)
	run, ran := evidence.Last(of.Runs, nil)
	if fate, over := fateOfResult[end.Row.Result]; ended && over && (!ran || run.N < end.N) {
		w.Fate = fate
	}
	if at, err := time.Parse(time.RFC3339, end.At); err == nil {
		w.ended = at.In(zone)
	}
}

func midnight(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, t.Location())
}

// fillDays adds the days without a run, so that a plot keeps the gaps, and drops days before the
// last mostDays.
func (s *Sheet) fillDays() {
	if len(s.Days) == 0 {
		return
	}
	first, last := s.Days[0].Date, s.Days[len(s.Days)-1].Date
	if least := last.AddDate(0, 0, 1-mostDays); first.Before(least) {
		first = least
	}
	var all []Day
	for date := first; !date.After(last); date = date.AddDate(0, 0, 1) {
		day := Day{Date: date}
		if i, known := slices.BinarySearchFunc(s.Days, date, func(d Day, t time.Time) int { return d.Date.Compare(t) }); known {
			day = s.Days[i]
			slices.SortFunc(day.Models, func(a, b Model) int { return cmp.Compare(a.Name, b.Name) })
		}
		all = append(all, day)
	}
	s.Days = all
}

// computeTrend computes the cost of a merged criterion for each day with a merge.
func (s *Sheet) computeTrend() {
	type sum struct {
		money    int64
		criteria int
	}
	days := map[time.Time]sum{}
	for _, w := range s.Works {
		if w.Fate == Merged && w.Criteria > 0 && !w.ended.IsZero() {
			d := days[midnight(w.ended)]
			days[midnight(w.ended)] = sum{d.money + w.Cost.MicroUSD, d.criteria + w.Criteria}
		}
	}
	for day, d := range days {
		s.Trend = append(s.Trend, plot.Point{At: day, MicroUSD: d.money / int64(d.criteria)})
	}
	slices.SortFunc(s.Trend, func(a, b plot.Point) int { return a.At.Compare(b.At) })
}
