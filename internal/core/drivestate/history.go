package drivestate

import (
	"fmt"

	"warp/internal/core/lossless"
)

type Row struct {
	lossless.Origin
	Phase   Phase    `json:"phase"`
	At      string   `json:"at"`
	From    Phase    `json:"from,omitempty"`
	Event   Event    `json:"event,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

// History holds the newest rows, oldest first. It is by far the longest part of the document and is
// read with every transition, so it has its own codec: the same result as the generic one, without
// reflection.
type History []Row

// Moves counts the session's transitions, including those only in the journal: if the count is
// unchanged, the drive has not moved.
func (s *State) Moves() int { return s.HistoryDropped + len(s.History) }

// FromJSON implements lossless.Codec.
func (h *History) FromJSON(v *lossless.Value) *lossless.TypeError {
	if v.Kind != lossless.Array {
		return lossless.Wrong(v, "an array")
	}
	rows := make(History, len(v.Elems), len(v.Elems)+1)
	for i, e := range v.Elems {
		if err := rows[i].fromJSON(e); err != nil {
			return err.Under(fmt.Sprintf("[%d]", i))
		}
	}
	*h = rows
	return nil
}

func (r *Row) fromJSON(v *lossless.Value) *lossless.TypeError {
	if v.Kind != lossless.Object {
		return lossless.Wrong(v, "an object")
	}
	r.Remember(v)
	for _, m := range v.Members {
		var to *string
		switch m.Key {
		case "phase":
			to = (*string)(&r.Phase)
		case "at":
			to = &r.At
		case "from":
			to = (*string)(&r.From)
		case "event":
			to = (*string)(&r.Event)
		case "reasons":
			if err := r.reasons(m.Value); err != nil {
				return err.Under(m.Key)
			}
			continue
		default:
			continue
		}
		switch m.Value.Kind {
		case lossless.String:
			*to = m.Value.Text()
		case lossless.Null:
		default:
			return lossless.Wrong(m.Value, "a string").Under(m.Key)
		}
	}
	return nil
}

func (r *Row) reasons(v *lossless.Value) *lossless.TypeError {
	if v.Kind != lossless.Array && v.Kind != lossless.Null {
		return lossless.Wrong(v, "an array")
	}
	for i, e := range v.Elems {
		if e.Kind != lossless.String {
			return lossless.Wrong(e, "a string").Under(fmt.Sprintf("[%d]", i))
		}
		r.Reasons = append(r.Reasons, e.Text())
	}
	return nil
}

// ToJSON implements lossless.Codec.
func (h History) ToJSON(src *lossless.Value) *lossless.Value {
	if h == nil && src != nil && src.Kind == lossless.Null {
		return src
	}
	same := src != nil && src.Kind == lossless.Array && len(src.Elems) == len(h)
	elems := make([]*lossless.Value, len(h))
	for i := range h {
		if v := h[i].Source(); v != nil && h[i].unchanged(v) {
			elems[i] = v
		} else {
			elems[i] = lossless.Encode(h[i], nil)
		}
		same = same && elems[i] == src.Elems[i]
	}
	if same {
		return src
	}
	return &lossless.Value{Kind: lossless.Array, Elems: elems}
}

// unchanged reports whether a row still equals its source. Rows with reasons are rare and left to
// the generic codec.
func (r *Row) unchanged(v *lossless.Value) bool {
	left := 0 // non-empty fields not yet found in the source
	for _, s := range []string{string(r.Phase), r.At, string(r.From), string(r.Event)} {
		if s != "" {
			left++
		}
	}
	for _, m := range v.Members {
		var have string
		switch m.Key {
		case "phase":
			have = string(r.Phase)
		case "at":
			have = r.At
		case "from":
			have = string(r.From)
		case "event":
			have = string(r.Event)
		case "reasons":
			return false
		default:
			continue
		}
		if have == "" || !m.Value.Is(have) {
			return false
		}
		left--
	}
	return left == 0 && len(r.Reasons) == 0 && r.Phase != "" && r.At != ""
}
