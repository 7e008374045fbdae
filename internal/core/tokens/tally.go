package tokens

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// By is the subject of a table's lines.
type By string

const (
	ByIssue   By = "issue"
	ByChunk   By = "chunk"
	ByPhase   By = "phase"
	ByModel   By = "model"
	ByDay     By = "day"
	BySession By = "session"
	ByProject By = "project"
	ByRole    By = "role"
)

var Bys = []By{ByIssue, ByChunk, ByPhase, ByRole, ByModel, ByDay, BySession, ByProject}

// elsewhere is the name for work outside any drive.
const elsewhere = "(no drive)"

// Line adds up entries.
type Line struct {
	Name string `json:"name"`
	Tokens
	MicroUSD int64 `json:"micro_usd"`
	// Unknown is how many of the tokens have no known price.
	Unknown int64    `json:"unknown_cost_tokens"`
	Models  []string `json:"unknown_models,omitempty"` // without a price
	Untold  int      `json:"untold_runs,omitempty"`    // runs about which nothing is known
	unpaid  map[string]Tokens
}

func (l *Line) add(e Entry) {
	l.Tokens = l.Tokens.Plus(e.Tokens)
	switch {
	case e.Untold():
		l.Untold++
	case e.Unpriced:
		l.unknown(e.Model, e.Tokens)
		l.MicroUSD += e.MicroUSD
	case e.Paid:
		l.MicroUSD += e.MicroUSD
	default:
		if l.unpaid == nil {
			l.unpaid = map[string]Tokens{}
		}
		l.unpaid[e.Model] = l.unpaid[e.Model].Plus(e.Tokens)
	}
}

func (l *Line) unknown(model string, t Tokens) {
	l.Unknown += t.Sum()
	if !slices.Contains(l.Models, model) {
		l.Models = append(l.Models, model)
	}
}

// priced adds the price of unpaid tokens. It is called once, at the end: prices are rounded up, and
// there are many messages.
func (l Line) priced(prices PriceTable) Line {
	l.Models = slices.Clone(l.Models)
	for model, t := range l.unpaid {
		if rate, ok := prices.Lookup(model); ok {
			l.MicroUSD += rate.Cost(t.Input, t.Output, t.CacheRead, t.CacheWrite)
		} else {
			l.unknown(model, t)
		}
	}
	l.unpaid = nil
	slices.Sort(l.Models)
	return l
}

// Known reports whether the line's money is its whole cost.
func (l Line) Known() bool { return l.Unknown == 0 && l.Untold == 0 }

// Table is a sum of entries by subject.
type Table struct {
	By    By     `json:"by"`
	Lines []Line `json:"lines"`
	Total Line   `json:"total"`
}

// Tabulate adds up entries. Days are in the given location. Lines are sorted by name if the names
// have an order, otherwise by cost.
func Tabulate(entries []Entry, by By, prices PriceTable, where *time.Location) Table {
	return TabulateOnly(entries, by, prices, where, func(Entry) bool { return true })
}

// TabulateOnly is Tabulate for the entries that fit.
func TabulateOnly(entries []Entry, by By, prices PriceTable, where *time.Location, fits func(Entry) bool) Table {
	sums := map[string]*Line{}
	total := Line{Name: "total"}
	for _, e := range entries {
		if !fits(e) {
			continue
		}
		name := by.name(e, where)
		if sums[name] == nil {
			sums[name] = &Line{Name: name}
		}
		sums[name].add(e)
		total.add(e)
	}
	t := Table{By: by, Lines: []Line{}, Total: total.priced(prices)}
	for _, l := range sums {
		t.Lines = append(t.Lines, l.priced(prices))
	}
	slices.SortFunc(t.Lines, func(a, b Line) int {
		if by == ByDay || by == ByIssue || by == ByChunk {
			return cmp.Or(last(a, b), cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
		}
		return cmp.Or(cmp.Compare(b.MicroUSD, a.MicroUSD), cmp.Compare(b.Sum(), a.Sum()), cmp.Compare(a.Name, b.Name))
	})
	return t
}

// last sorts what belongs to no drive to the end.
func last(a, b Line) int {
	switch {
	case a.Name == elsewhere:
		return 1
	case b.Name == elsewhere:
		return -1
	}
	return 0
}

func (by By) name(e Entry, where *time.Location) string {
	switch by {
	case ByIssue, ByChunk:
		if e.Work != "" {
			return e.Work
		}
	}
	switch by {
	case ByIssue:
		return orElsewhere(e.Issue, "#"+e.Issue)
	case ByChunk:
		if e.Chunk == 0 {
			return orElsewhere(e.Issue, fmt.Sprintf("#%s (no chunk)", e.Issue))
		}
		return orElsewhere(e.Issue, fmt.Sprintf("#%s chunk %d", e.Issue, e.Chunk))
	case ByPhase:
		return orElsewhere(e.Phase, e.Phase)
	case ByDay:
		return e.At.In(where).Format(time.DateOnly)
	case BySession:
		return cmp.Or(e.Session, e.Work, "(no session)")
	case ByRole:
		return cmp.Or(e.Role, "(no role)")
	case ByProject:
		return cmp.Or(e.Project, "(no project)")
	}
	return cmp.Or(e.Model, "(no model named)")
}

func orElsewhere(test, name string) string {
	if strings.TrimSpace(test) == "" {
		return elsewhere
	}
	return name
}

// Trend is the usage of the last seven days, and of the seven before.
type Trend struct {
	Last   Line `json:"last_7_days"`
	Before Line `json:"7_days_before"`
}

func TrendOf(entries []Entry, now time.Time, prices PriceTable) (t Trend) {
	const week = 7 * 24 * time.Hour
	t.Last.Name, t.Before.Name = "last 7 days", "7 days before"
	for _, e := range entries {
		switch age := now.Sub(e.At); {
		case age < week:
			t.Last.add(e)
		case age < 2*week:
			t.Before.add(e)
		}
	}
	t.Last, t.Before = t.Last.priced(prices), t.Before.priced(prices)
	return t
}
