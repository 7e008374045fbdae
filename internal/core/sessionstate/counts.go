package sessionstate

import (
	"slices"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/event"
)

// Counts are what strategies need to know about a stage, independent of the rows kept. "In a row"
// means up to the newest iteration.
type Counts struct {
	Plateaus      int      `json:"plateaus,omitempty"`       // in a row, without a change
	Unchanged     int      `json:"unchanged,omitempty"`      // in a row: nothing changed, nothing completed
	AgentErrors   int      `json:"agent_errors,omitempty"`   // in a row
	Failed        int      `json:"failed,omitempty"`         // without a result, in total
	Redone        int      `json:"redone,omitempty"`         // done but refused, and repeated after a resume
	Retried       int      `json:"retried,omitempty"`        // of both: how many a resume granted beyond the limit
	JudgeFailures int      `json:"judge_failures,omitempty"` // in a row
	GatesPassed   int      `json:"gates_passed,omitempty"`   // in a row
	Judge         *Verdict `json:"judge,omitempty"`          // on the newest iteration
	Unseen        int      `json:"unseen,omitempty"`         // iterations for which a change is unknown
	Unpriced      int      `json:"unpriced,omitempty"`       // iterations whose cost is not fully known
	MicroUSD      int64    `json:"micro_usd,omitempty"`
	Tokens        int64    `json:"tokens,omitempty"`
	Seconds       int64    `json:"seconds,omitempty"` // spent in iterations: pauses and crashes are not charged
}

func (c *Counts) add(r Row, spent budget.Amount, took time.Duration) {
	done := r.End == ""
	c.AgentErrors = next(c.AgentErrors, !done)
	if !done && r.Gates != Pass && len(r.Items) == 0 {
		c.Failed++
	}
	c.Plateaus = next(c.Plateaus, r.isPlateau())
	c.Unchanged = next(c.Unchanged, !r.Changed && len(r.Items) == 0)
	c.GatesPassed = next(c.GatesPassed, r.Gates == Pass)
	if !c.skipsJudge() { // after that, it is no longer asked
		c.Judge = r.Judge
		if r.Judge != nil || r.JudgeFailed {
			c.JudgeFailures = next(c.JudgeFailures, r.Judge == nil)
		}
	}
	if r.Unseen {
		c.Unseen++
	}
	if r.Unpriced {
		c.Unpriced++
	}
	c.MicroUSD += max(0, spent.MicroUSD)
	c.Tokens += max(0, spent.Tokens)
	// Whole seconds: rounding errors even out over many iterations.
	c.Seconds += int64(max(0, took) / time.Second)
}

// next extends a run, or ends it.
func next(n int, on bool) int {
	if on {
		return n + 1
	}
	return 0
}

func (c *Counts) skipsJudge() bool { return c.JudgeFailures >= maxJudgeFailures }

// unretried returns how many iterations without a result were not made up for since the stage began
// or was resumed.
func (c *Counts) unretried() int { return max(0, c.Failed+c.Redone-c.Retried) }

// again forgets what made a stage fail, so that it does not fail at once after a resume, and grants
// as many iterations as had no result. Costs stay. The reason is why it ended.
func (c *Counts) again(reason string) {
	c.Failed = max(c.Failed, c.AgentErrors) // documents of earlier versions do not count these
	if slices.Contains(refusals, reason) {
		c.Redone++
		c.Plateaus, c.GatesPassed, c.Judge = 0, 0, nil // they spoke for a refused result
	}
	c.Retried = c.Failed + c.Redone
	c.AgentErrors, c.Unchanged, c.JudgeFailures = 0, 0, 0
}

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
