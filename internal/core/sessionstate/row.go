package sessionstate

import (
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Row is one recorded iteration.
type Row struct {
	lossless.Origin
	Iteration int    `json:"iteration"`
	Timestamp string `json:"timestamp"` // when it was recorded
	Plateau   bool   `json:"plateau"`   // the agent reported one; with Changed it does not count
	Reasoning string `json:"reasoning,omitempty"`

	Stage       string   `json:"stage,omitempty"` // the stage's name
	Agent       string   `json:"agent,omitempty"`
	Changed     bool     `json:"changed,omitempty"` // the work tree changed
	Unseen      bool     `json:"unseen,omitempty"`  // unknown whether it changed, without a repository
	Summary     string   `json:"summary,omitempty"`
	Item        string   `json:"item,omitempty"`     // the queue item it was given
	Items       []string `json:"items,omitempty"`    // queue items it completed
	Cost        string   `json:"cost,omitempty"`     // "$0.75"
	Unpriced    bool     `json:"unpriced,omitempty"` // its cost is not fully known
	End         string   `json:"end,omitempty"`      // how the agent's run ended, if not done
	Judge       *Verdict `json:"judge,omitempty"`    // nil if not asked, or failed
	JudgeFailed bool     `json:"judge_failed,omitempty"`
	Gates       string   `json:"gates,omitempty"` // Pass, Fail; "" if they did not run
}

// Pass and Fail are the results of gates.
const (
	Pass = "pass"
	Fail = "fail"
)

// Verdict is a judge's decision.
type Verdict struct {
	Stop       bool    `json:"stop"`
	Reason     string  `json:"reason,omitempty"`
	Confidence float64 `json:"confidence"` // from 0 to 1
}

// Limits of an agent's texts, in bytes, and lists.
const (
	maxText  = 1000
	maxWord  = 200
	maxItems = 50
)

// bounded limits every member of a row and makes it valid JSON.
func (r Row) bounded() Row {
	r.Reasoning, r.Summary = clipValid(r.Reasoning, maxText), clipValid(r.Summary, maxText)
	r.Agent, r.End = clipValid(r.Agent, maxWord), clipValid(r.End, maxWord)
	r.Items = slices.Clone(r.Items[:min(len(r.Items), maxItems)])
	for i := range r.Items {
		r.Items[i] = clipValid(r.Items[i], maxWord)
	}
	if r.Judge != nil {
		v := Verdict{r.Judge.Stop, clipValid(r.Judge.Reason, maxWord), min(r.Judge.Confidence, 1)}
		if !(v.Confidence > 0) { // also not NaN
			v.Confidence = 0
		}
		r.Judge = &v
	}
	return r
}

// clipValid shortens a text for use as a JSON string.
func clipValid(s string, n int) string {
	return text.Clip(strings.ToValidUTF8(s, "�"), n)
}
