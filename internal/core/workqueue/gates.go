package workqueue

import (
	"slices"

	"warp/internal/core/lossless"
)

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
	if src != nil && src.Kind == lossless.Object && slices.Equal(ms, src.Members) {
		return src
	}
	return lossless.NewObject(ms...)
}
