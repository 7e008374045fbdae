package telemetry

import (
	"slices"

	"warp/internal/core/lossless"
)

// Counts is an object of names and numbers that keeps the order in which names were added.
type Counts []Count

type Count struct {
	Name string
	N    int
}

func (c Counts) add(name string) Counts {
	for i := range c {
		if c[i].Name == name {
			c[i].N++
			return c
		}
	}
	return append(c, Count{name, 1})
}

// FromJSON reads an object of whole numbers.
func (c *Counts) FromJSON(v *lossless.Value) *lossless.TypeError {
	if v.Kind != lossless.Object {
		return lossless.Wrong(v, "an object")
	}
	*c = make(Counts, 0, len(v.Members))
	for _, m := range v.Members {
		n, ok := m.Value.Int()
		if !ok {
			return lossless.Wrong(m.Value, "a whole number").Under(m.Key)
		}
		*c = append(*c, Count{m.Key, int(n)})
	}
	return nil
}

// ToJSON prints the object, reusing unchanged parts of src.
func (c Counts) ToJSON(src *lossless.Value) *lossless.Value {
	if src != nil && src.Kind == lossless.Null && len(c) == 0 {
		return src
	}
	ms := make([]lossless.Member, len(c))
	for i, e := range c {
		v := src.Get(e.Name)
		if n, ok := v.Int(); !ok || n != int64(e.N) {
			v = lossless.NewInt(int64(e.N))
		}
		ms[i] = lossless.Member{Key: e.Name, Value: v}
	}
	if src != nil && src.Kind == lossless.Object && slices.Equal(ms, src.Members) {
		return src
	}
	return lossless.NewObject(ms...)
}
