package workflowstate

import (
	"slices"
	"strconv"

	"warp/internal/core/lossless"
)

// Criterion is whether one of a task's success criteria is met.
type Criterion struct {
	Key string
	Met bool
}

// Criteria is an object of criteria, in the order of the task document.
type Criteria []Criterion

// AllMet reports whether every criterion is met.
func (c Criteria) AllMet() bool {
	return !slices.ContainsFunc(c, func(one Criterion) bool { return !one.Met })
}

// FromJSON implements lossless.Codec.
func (c *Criteria) FromJSON(v *lossless.Value) *lossless.TypeError {
	if v.Kind != lossless.Object {
		return lossless.Wrong(v, "an object")
	}
	*c = nil
	for _, m := range v.Members {
		if m.Value.Kind != lossless.Bool {
			return lossless.Wrong(m.Value, "a boolean").Under(m.Key)
		}
		*c = append(*c, Criterion{m.Key, m.Value.Raw == "true"})
	}
	return nil
}

// ToJSON implements lossless.Codec.
func (c Criteria) ToJSON(src *lossless.Value) *lossless.Value {
	v := lossless.NewObject()
	for _, k := range c {
		v.Members = append(v.Members, lossless.Member{Key: k.Key, Value: &lossless.Value{Kind: lossless.Bool, Raw: strconv.FormatBool(k.Met)}})
	}
	if lossless.Equal(v, src) {
		return src
	}
	return v
}
