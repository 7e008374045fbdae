package sessionstate

import (
	"time"

	"warp/internal/core/budget"
)

// Facts are what is true of one stage.
type Facts struct {
	Counts
	Iterations int           // that are recorded, those that came to nothing included
	Elapsed    time.Duration // that they took
	Queue      *int          // its length; nil: it was not asked
}

// Spent is what the stage has used.
func (f Facts) Spent() Spent { return Spent{MicroUSD: f.MicroUSD, Tokens: f.Tokens, Time: f.Elapsed} }

// Facts are those of a stage; the queue is asked by others.
func (s *State) Facts(stage int, now time.Time) Facts {
	st, err := s.Stage(stage)
	if err != nil {
		return Facts{}
	}
	f := Facts{Counts: st.Counts, Iterations: st.IterationCompleted, Elapsed: time.Duration(st.Counts.Seconds) * time.Second}
	if st.IterationStarted != nil {
		f.Elapsed += since(*st.IterationStarted, now)
	}
	return f
}

// unchanged says that nothing was changed, where that can be told.
func (f Facts) unchanged() string {
	if f.Unseen > 0 {
		return ""
	}
	return " and changed nothing"
}

// Iterations is how many were done, in all stages.
func (s *State) Iterations() (n int) {
	for i := range s.Len() {
		if st, err := s.Stage(i); err == nil {
			n += st.IterationCompleted
		}
	}
	return n
}

// Cost says what all stages have cost, and never that what is not known is nothing.
// Known is false where nothing is known of it.
func (s *State) Cost() (text string, known bool) {
	unpriced := s.Counts.Unpriced
	for _, st := range s.Stages {
		unpriced += st.Counts.Unpriced
	}
	spent := budget.Dollars(s.Spent().MicroUSD)
	switch {
	case unpriced == 0:
		return spent, true
	case s.Spent().MicroUSD == 0:
		return "unknown", false
	}
	return "at least " + spent, true
}

// Spent is what all stages have cost, as far as that is known.
func (s *State) Spent() Spent {
	sum := Spent{MicroUSD: s.Counts.MicroUSD, Tokens: s.Counts.Tokens}
	for _, st := range s.Stages {
		sum.MicroUSD += st.Counts.MicroUSD
		sum.Tokens += st.Counts.Tokens
	}
	return sum
}
