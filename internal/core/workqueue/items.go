package workqueue

import (
	"fmt"
	"slices"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Items is the array of items. People and other tools write it too: an unreadable entry, or one
// with a duplicate id, stays in its place as unread and is never dropped (one such entry once had
// the whole queue set aside).
type Items []Item

// FromJSON reads an array of items.
func (list *Items) FromJSON(v *lossless.Value) *lossless.TypeError {
	if v.Type() != lossless.Array {
		return lossless.Wrong(v, "an array")
	}
	*list = make(Items, len(v.Elems), len(v.Elems)+1)
	seen := map[string]bool{}
	for i, e := range v.Elems {
		it, why := Item{}, ""
		switch err := lossless.Decode(e, &it); {
		case err != nil:
			why = err.Error()
		case it.ID == "":
			why = "it has no id"
		case seen[it.ID]:
			why = "another item has the id " + it.ID
		}
		if why != "" {
			it = Item{Unread: why}
			it.Remember(e)
		}
		seen[it.ID] = true
		(*list)[i] = it
	}
	return nil
}

// ToJSON prints the array, reusing unchanged parts of src.
func (list Items) ToJSON(src *lossless.Value) *lossless.Value {
	if src.Type() == lossless.Null && src != nil && len(list) == 0 {
		return src
	}
	elems := make([]*lossless.Value, len(list))
	for i := range list {
		if it := &list[i]; it.Unread != "" {
			elems[i] = it.Origin.Source()
		} else {
			elems[i] = lossless.Encode(*it, nil)
		}
	}
	if src.Type() == lossless.Array && slices.Equal(elems, src.Elems) {
		return src
	}
	return &lossless.Value{Kind: lossless.Array, Elems: elems}
}

// apart reports whether loops ignore the item, because it or its priority is unreadable.
func (it *Item) apart() bool { return it.Unread != "" || it.Priority.read() == "" }

// DescribeUnread lists the items that are set aside, why, and how to include them.
func (q *Queue) DescribeUnread() (list []string) {
	for i := range q.Items {
		switch it := &q.Items[i]; {
		case it.Unread != "":
			entry := text.Clip(string(lossless.AppendCompact(nil, it.Origin.Source())), 120)
			list = append(list, fmt.Sprintf("items[%d] of the work queue is set aside, %s: %s (correct it in .claude/%s, or add it again with warp queue add)", i, it.Unread, entry, File))
		case it.apart() && it.Status != Done:
			list = append(list, fmt.Sprintf("%s is set aside: its priority %q is not one of S0, S1, S2, S3 (warp queue move %s S2 fixes it)", it.ID, string(it.Priority), it.ID))
		}
	}
	return list
}

// The answers of a gate. A warning passes.
const (
	Pass = "pass"
	Warn = "warn"
	Fail = "fail"
)

// GateResult is a gate's last answer.
type GateResult struct {
	lossless.Origin
	Status    string `json:"status"`
	Timestamp string `json:"timestamp"`

	Iteration int      `json:"iteration,omitempty"` // when it answered
	Issues    int      `json:"issues,omitempty"`
	Severity  Priority `json:"severity,omitempty"` // of the worst issue
}

// Passed reports whether the gate passed. A status from another tool counts as failed.
func (r GateResult) Passed() bool { return r.Status == Pass || r.Status == Warn }

type NamedResult struct {
	Name string
	GateResult
}

// Gates is an object of gates that keeps their order.
type Gates []NamedResult

// Get returns the result of a gate, or nil.
func (g Gates) Get(name string) *GateResult {
	for i := range g {
		if g[i].Name == name {
			return &g[i].GateResult
		}
	}
	return nil
}

// FromJSON reads an object of results.
func (g *Gates) FromJSON(v *lossless.Value) *lossless.TypeError {
	if v.Kind != lossless.Object {
		return lossless.Wrong(v, "an object")
	}
	*g = make(Gates, len(v.Members))
	for i, m := range v.Members {
		(*g)[i].Name = m.Key
		if err := lossless.Decode(m.Value, &(*g)[i].GateResult); err != nil {
			return err.(*lossless.TypeError).Under(m.Key)
		}
	}
	return nil
}

// ToJSON prints the object, reusing unchanged parts of src.
func (g Gates) ToJSON(src *lossless.Value) *lossless.Value {
	if src != nil && src.Kind == lossless.Null && len(g) == 0 {
		return src
	}
	ms := make([]lossless.Member, len(g))
	for i, r := range g {
		ms[i] = lossless.Member{Key: r.Name, Value: lossless.Encode(r.GateResult, nil)}
	}
	return lossless.Reuse(ms, src)
}
