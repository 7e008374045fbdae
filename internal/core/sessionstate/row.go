package sessionstate

import (
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Row is one iteration, as it is remembered.
type Row struct {
	lossless.Origin
	Iteration int    `json:"iteration"`
	Timestamp string `json:"timestamp"` // when it was recorded
	Plateau   bool   `json:"plateau"`   // the agent says so; with Changed it does not count
	Reasoning string `json:"reasoning,omitempty"`

	Stage       string   `json:"stage,omitempty"` // its name
	Agent       string   `json:"agent,omitempty"`
	Changed     bool     `json:"changed,omitempty"` // the work tree did
	Unseen      bool     `json:"unseen,omitempty"`  // unknown whether it did: there is no repository
	Summary     string   `json:"summary,omitempty"`
	Item        string   `json:"item,omitempty"`     // that it was given, of a queue
	Items       []string `json:"items,omitempty"`    // that it completed
	Cost        string   `json:"cost,omitempty"`     // "$0.75"
	Unpriced    bool     `json:"unpriced,omitempty"` // what it has cost is not known, or not all of it
	End         string   `json:"end,omitempty"`      // how the agent's run ended when it was not done
	Judge       *Verdict `json:"judge,omitempty"`    // nil: it was not asked, or failed
	JudgeFailed bool     `json:"judge_failed,omitempty"`
	Gates       string   `json:"gates,omitempty"` // Pass, Fail; "": they were not run
}

// Pass and Fail are what gates come to.
const (
	Pass = "pass"
	Fail = "fail"
)

// Verdict is a judge's.
type Verdict struct {
	Stop       bool    `json:"stop"`
	Reason     string  `json:"reason,omitempty"`
	Confidence float64 `json:"confidence"` // from 0 to 1
}

// The bounds of what is kept of an agent's words, in bytes, and of its lists.
const (
	maxText  = 1000
	maxWord  = 200
	maxItems = 50
)

// bounded is a row of which no member is too long, or no JSON.
func (r Row) bounded() Row {
	r.Reasoning, r.Summary = clipValid(r.Reasoning, maxText), clipValid(r.Summary, maxText)
	r.Agent, r.End = clipValid(r.Agent, maxWord), clipValid(r.End, maxWord)
	r.Items = slices.Clone(r.Items[:min(len(r.Items), maxItems)])
	for i := range r.Items {
		r.Items[i] = clipValid(r.Items[i], maxWord)
	}
	if r.Judge != nil {
		v := Verdict{r.Judge.Stop, clipValid(r.Judge.Reason, maxWord), min(r.Judge.Confidence, 1)}
		if !(v.Confidence > 0) { // nor is it a number
			v.Confidence = 0
		}
		r.Judge = &v
	}
	return r
}

// clipValid bounds a text that becomes a string of JSON.
func clipValid(s string, n int) string {
	return text.Clip(strings.ToValidUTF8(s, "�"), n)
}
