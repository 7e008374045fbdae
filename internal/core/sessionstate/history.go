package sessionstate

import (
	"fmt"
	"slices"

	"warp/internal/core/lossless"
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
