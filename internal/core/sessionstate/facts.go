package sessionstate

import (
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/event"
)

// Facts describe one stage.
type Facts struct {
	Counts
	Iterations int           // recorded, including those without a result
	Elapsed    time.Duration // time spent in them
	Queue      *int          // length; nil if not asked
}

// Spent returns what the stage has used.
func (f Facts) Spent() budget.Amount {
	return budget.Amount{MicroUSD: f.MicroUSD, Tokens: f.Tokens, Time: f.Elapsed}
}

// Facts returns the facts of a stage, without the queue.
func (s *State) Facts(stage int, now time.Time) Facts {
	st, err := s.Stage(stage)
	if err != nil {
		return Facts{}
	}
	f := Facts{Counts: st.Counts, Iterations: st.IterationCompleted, Elapsed: time.Duration(st.Counts.Seconds) * time.Second}
	if st.IterationStarted != nil {
		f.Elapsed += event.Since(*st.IterationStarted, now)
	}
	return f
}

// unchanged says that nothing changed, if that is known.
func (f Facts) unchanged() string {
	if f.Unseen > 0 {
		return ""
	}
	return " and changed nothing"
}

// Iterations counts the recorded iterations of all stages.
func (s *State) Iterations() (n int) {
	for i := range s.Len() {
		if st, err := s.Stage(i); err == nil {
			n += st.IterationCompleted
		}
	}
	return n
}

// Cost formats what all stages cost, and never shows an unknown price as zero. Known is false if
// nothing is known.
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

// Spent returns what all stages cost, as far as known.
func (s *State) Spent() budget.Amount {
	sum := budget.Amount{MicroUSD: s.Counts.MicroUSD, Tokens: s.Counts.Tokens}
	for _, st := range s.Stages {
		sum.MicroUSD += st.Counts.MicroUSD
		sum.Tokens += st.Counts.Tokens
	}
	return sum
}
