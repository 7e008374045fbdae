package sessionstate

import (
	"slices"
	"time"

	"warp/internal/core/budget"
)

// Spent is what an iteration has cost, its judge's share included; its time is
// taken from the document.
type Spent = budget.Amount

// Counts are what strategies need to know of a stage, whatever became of its rows.
// "In a row" is up to the newest iteration.
type Counts struct {
	Plateaus      int      `json:"plateaus,omitempty"`       // in a row, without a change
	Unchanged     int      `json:"unchanged,omitempty"`      // in a row: nothing changed, nothing completed
	AgentErrors   int      `json:"agent_errors,omitempty"`   // in a row
	Failed        int      `json:"failed,omitempty"`         // that came to nothing, in all
	Redone        int      `json:"redone,omitempty"`         // that were done and refused, and a resume has done again
	Retried       int      `json:"retried,omitempty"`        // of both: how many a resume gave beyond the bound
	JudgeFailures int      `json:"judge_failures,omitempty"` // in a row
	GatesPassed   int      `json:"gates_passed,omitempty"`   // in a row
	Judge         *Verdict `json:"judge,omitempty"`          // of the newest iteration
	Unseen        int      `json:"unseen,omitempty"`         // of which it is unknown whether they changed anything
	Unpriced      int      `json:"unpriced,omitempty"`       // whose cost is not known, or not all of it
	MicroUSD      int64    `json:"micro_usd,omitempty"`
	Tokens        int64    `json:"tokens,omitempty"`
	Seconds       int64    `json:"seconds,omitempty"` // that iterations took: neither pauses nor crashes are charged
}

// add counts one more iteration.
func (c *Counts) add(r Row, spent Spent, took time.Duration) {
	done := r.End == ""
	c.AgentErrors = next(c.AgentErrors, !done)
	if !done && r.Gates != Pass && len(r.Items) == 0 {
		c.Failed++
	}
	c.Plateaus = next(c.Plateaus, done && r.Plateau && !r.Changed)
	c.Unchanged = next(c.Unchanged, !r.Changed && len(r.Items) == 0)
	c.GatesPassed = next(c.GatesPassed, r.Gates == Pass)
	if !c.skipsJudge() { // then it has no say any more
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
	// From one whole second to another: what is lost and won is even over many.
	c.Seconds += int64(max(0, took) / time.Second)
}

// next is the length of a run that goes on, or ends.
func next(n int, on bool) int {
	if on {
		return n + 1
	}
	return 0
}

func (c *Counts) skipsJudge() bool { return c.JudgeFailures >= maxJudgeFailures }

// unretried is how many iterations came to nothing since the stage began, or was
// resumed: they are not made up for.
func (c *Counts) unretried() int { return max(0, c.Failed+c.Redone-c.Retried) }

// again forgets what made a stage fail, so that it is not the same at once when it
// is resumed, and gives it as many iterations as came to nothing. What was spent
// stays. The reason is why it had ended.
func (c *Counts) again(reason string) {
	c.Failed = max(c.Failed, c.AgentErrors) // a document of an earlier version counts none
	if slices.Contains(refusals, reason) {
		c.Redone++
		c.Plateaus, c.GatesPassed, c.Judge = 0, 0, nil // what they spoke for was refused
	}
	c.Retried = c.Failed + c.Redone
	c.AgentErrors, c.Unchanged, c.JudgeFailures = 0, 0, 0
}
