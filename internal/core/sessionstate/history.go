package sessionstate

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// keep is how many rows the document holds; the journal has all. The document is rewritten with
// every iteration, so without a limit the 10,000th would cost a thousand times the 10th. A hundred
// are more than a person scrolls through, and about 25 kB; no decision needs them.
const keep = 100

// History holds the newest rows, oldest first. It is by far the longest part of the document, and
// recorded rows never change, so it has its own codec, which prints rows as they were read.
type History []Row

// FromJSON implements lossless.Codec.
func (h *History) FromJSON(v *lossless.Value) *lossless.TypeError {
	if v.Kind != lossless.Array {
		return lossless.Wrong(v, "an array")
	}
	rows := make(History, len(v.Elems), len(v.Elems)+1)
	for i, e := range v.Elems {
		if err := lossless.Decode(e, &rows[i]); err != nil {
			return err.(*lossless.TypeError).Under(fmt.Sprintf("[%d]", i)) // Decode returns no other error
		}
	}
	*h = rows
	return nil
}

// ToJSON implements lossless.Codec.
func (h History) ToJSON(src *lossless.Value) *lossless.Value {
	elems := make([]*lossless.Value, len(h))
	for i := range h {
		if elems[i] = h[i].Source(); elems[i] == nil {
			elems[i] = lossless.Encode(h[i], nil)
		}
	}
	if src != nil && src.Kind == lossless.Array && slices.Equal(elems, src.Elems) {
		return src
	}
	return &lossless.Value{Kind: lossless.Array, Elems: elems}
}

// Rows returns a stage's rows that the document still has, oldest first.
func (s *State) Rows(stage int) []Row {
	st, err := s.Stage(stage)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.History), func(r Row) bool { return r.Stage != st.Name })
}

// RetryItems allows items that were given up to be tried again.
func (s *State) RetryItems() { s.RetryFrom = s.HistoryDropped + len(s.History) }

// Tried counts how often an agent got an item and did not complete it. Failures that were not the
// agent's fault do not count: it never saw the item.
func (s *State) Tried(item string, blameless func(end string) bool) (n int) {
	for k, row := range s.History {
		if s.HistoryDropped+k >= s.RetryFrom && row.Item == item && !slices.Contains(row.Items, item) && !blameless(row.End) {
			n++
		}
	}
	return n
}

// remember adds a row, and drops the oldest if there are too many.
func (s *State) remember(r Row) {
	s.History = append(s.History, r)
	if over := len(s.History) - keep; over > 0 {
		s.History = slices.Delete(s.History, 0, over)
		s.HistoryDropped += over
	}
}

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
