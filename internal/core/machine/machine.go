// Package machine is a table-driven state machine: rows of {From, On, To} and queries on them. Only
// what a row says can happen; everything else (counters, gates, files) is up to the owner of the
// table.
package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Row is one transition of a table.
type Row[S, E ~string] struct {
	From S
	On   E
	To   S
}

// Table is an ordered set of rows. The documents and everything printed from it use the same order.
type Table[S, E ~string] struct{ rows []Row[S, E] }

// New makes a table of rows that must not change afterwards. It does nothing else, since programs
// make their tables at every start.
func New[S, E ~string](rows []Row[S, E]) *Table[S, E] { return &Table[S, E]{rows} }

// Ambiguous lists the rows whose (From, On) pair is not unique: mistakes in the program, which its
// tests look for. The first row counts.
func (t *Table[S, E]) Ambiguous() []Row[S, E] {
	var twice []Row[S, E]
	for i, r := range t.rows {
		if slices.ContainsFunc(t.rows[:i], func(o Row[S, E]) bool { return o.From == r.From && o.On == r.On }) {
			twice = append(twice, r)
		}
	}
	return twice
}

// Refusal is the error of an event that the table does not allow.
type Refusal struct {
	State, Event string
	Allowed      []string
	Known        bool // the event exists, but not in this state
}

func (r *Refusal) Error() string {
	what := fmt.Sprintf("event %q is not allowed in phase %q", r.Event, r.State)
	if !r.Known {
		what = fmt.Sprintf("there is no event %q (phase %q)", r.Event, r.State)
	}
	if len(r.Allowed) == 0 {
		return what + "; no event is allowed here"
	}
	return what + "; allowed: " + strings.Join(r.Allowed, ", ")
}

// Next returns where an event leads, or refuses it with a *Refusal.
func (t *Table[S, E]) Next(from S, on E) (S, error) {
	for _, r := range t.rows {
		if r.From == from && r.On == on {
			return r.To, nil
		}
	}
	r := &Refusal{State: string(from), Event: string(on), Known: slices.Contains(t.AllEvents(), on)}
	for _, e := range t.Events(from) {
		r.Allowed = append(r.Allowed, string(e))
	}
	return "", r
}

// Rows returns the table in order.
func (t *Table[S, E]) Rows() []Row[S, E] { return slices.Clone(t.rows) }

// Events lists the events that a state allows, in the table's order.
func (t *Table[S, E]) Events(from S) []E {
	var es []E
	for _, r := range t.rows {
		if r.From == from {
			es = append(es, r.On)
		}
	}
	return es
}

// AllEvents lists every event once, in order of appearance.
func (t *Table[S, E]) AllEvents() []E {
	var es []E
	for _, r := range t.rows {
		if !slices.Contains(es, r.On) {
			es = append(es, r.On)
		}
	}
	return es
}

// States lists every state once, in order of appearance: sources first.
func (t *Table[S, E]) States() []S {
	var ss []S
	add := func(s S) {
		if !slices.Contains(ss, s) {
			ss = append(ss, s)
		}
	}
	for _, r := range t.rows {
		add(r.From)
	}
	for _, r := range t.rows {
		add(r.To)
	}
	return ss
}

// Reachable lists the states that some chain of events leads to, including the start, in
// breadth-first order.
func (t *Table[S, E]) Reachable(start S) []S {
	seen := []S{start}
	for i := 0; i < len(seen); i++ {
		for _, r := range t.rows {
			if r.From == seen[i] && !slices.Contains(seen, r.To) {
				seen = append(seen, r.To)
			}
		}
	}
	return seen
}

// Way finds the shortest chain of events from one state to another, without the events in avoid. ok
// is false if there is none.
func (t *Table[S, E]) Way(from, to S, avoid ...E) (way []E, ok bool) {
	type step struct {
		at  S
		way []E
	}
	queue, seen := []step{{at: from}}, map[S]bool{from: true}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		if s.at == to {
			return s.way, true
		}
		for _, r := range t.rows {
			if r.From == s.at && !seen[r.To] && !slices.Contains(avoid, r.On) {
				seen[r.To] = true
				queue = append(queue, step{r.To, append(slices.Clone(s.way), r.On)})
			}
		}
	}
	return nil, false
}
