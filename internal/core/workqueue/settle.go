package workqueue

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// newest is how many lines of history the document keeps.
const newest = 20

// Facts returns what the queue knows about the current iteration.
func (q *Queue) Facts(most int) Facts {
	f := Facts{Iteration: q.Iteration, Max: most, Open: q.Open()}
	if q.Loop != nil {
		f.Record = q.Loop.Record
	}
	for _, g := range q.GateResults {
		if g.Iteration != q.Iteration {
			continue // it no longer runs
		}
		f.Ran++
		if !g.Passed() {
			f.Failed = append(f.Failed, g.Name)
		}
	}
	for _, it := range q.Items {
		switch {
		case it.Status == Done && it.CompletedIteration != nil && *it.CompletedIteration == q.Iteration:
			f.Done++
		case it.Status != Done && IsGate(it.Source):
			f.Failing++
		}
		if it.AddedIteration == q.Iteration || it.Reopened == q.Iteration && q.Iteration > 0 {
			f.Added++
		}
	}
	return f
}

// CloseReported closes items that an agent was given and reports as done. Its word counts unless a gate
// found something new in this iteration. Only the gate can close an item that it found.
func (q *Queue) CloseReported(given, done []string) {
	for _, it := range q.Items {
		if IsGate(it.Source) && it.Status != Done && (it.AddedIteration == q.Iteration || it.Reopened == q.Iteration) {
			return
		}
	}
	for _, id := range done {
		if it, err := q.Find(id); err == nil && slices.Contains(given, it.ID) && !IsGate(it.Source) {
			q.finish(it)
		}
	}
}

// AskAgain makes every gate of this iteration run again.
func (q *Queue) AskAgain() {
	for i := range q.GateResults {
		if r := &q.GateResults[i]; r.Iteration == q.Iteration {
			r.Iteration = 0
		}
	}
}

// Evaluate decides about the current iteration and records the result. Most is the last iteration,
// passes the number of full passes in a row that ends the loop (0: FullPasses). The caller changes
// the phase.
func (q *Queue) Evaluate(most, passes int) Verdict {
	if q.Loop == nil {
		q.Loop = &Loop{Phase: EvaluatePhase}
	}
	f := q.Facts(most)
	f.Passes = passes
	v := evaluate(f)
	q.ConsecutivePasses, q.Loop.Record = v.Record.Passes, v.Record
	q.Loop.Reason, q.Loop.Why = v.Reason, v.Why
	q.Loop.addHistory(f)
	return v
}

// addHistory adds an iteration to the history.
func (l *Loop) addHistory(f Facts) {
	h := l.History
	head := fmt.Sprintf("Iteration %d: ", f.Iteration)
	if n := len(h); n > 0 && strings.HasPrefix(h[n-1], head) {
		h = h[:n-1] // evaluated again
	}
	h = append(h, head+f.describe())
	l.History = h[max(0, len(h)-newest):]
}

// describe describes an iteration in one line.
func (f Facts) describe() string {
	parts := []string{"Fixed " + text.Count(f.Done, "item")}
	if f.Added > 0 {
		parts = append(parts, text.Count(f.Added, "new issue")+" found")
	}
	switch {
	case f.Ran == 0:
		parts = append(parts, "no gate ran")
	case len(f.Failed) > 0:
		parts = append(parts, "gates failing: "+strings.Join(f.Failed, ", "))
	case f.Added == 0:
		parts = append(parts, "gates passing")
	}
	return strings.Join(parts, ", ")
}
