// Package lazy makes values at their first use: regular expressions above all, which
// are slow to compile. The compiler lays a Value out whole, so that the linker leaves
// out one that nothing uses, and what makes it. It keeps what sync.OnceValue makes, for
// that is made when the program starts: so warp-hook linked every pattern of packages
// of which it needs one function.
package lazy

import (
	"regexp"
	"sync"
)

// Value is made by Make when it is first wanted. It is a variable of a package, never
// copied.
type Value[T any] struct {
	Make  func() T
	once  sync.Once
	value T
}

// Get is the value.
func (v *Value[T]) Get() T {
	v.once.Do(func() { v.value = v.Make() })
	return v.value
}

// Pattern is a regular expression.
type Pattern struct {
	Text  string
	once  sync.Once
	value *regexp.Regexp
}

// Get is the compiled pattern.
func (p *Pattern) Get() *regexp.Regexp {
	p.once.Do(func() { p.value = regexp.MustCompile(p.Text) })
	return p.value
}

// Table is a small map that the compiler lays out: a map is made whenever the program
// starts, which warp-hook does on every tool call.
type Table[K comparable, V any] []struct {
	Key   K
	Value V
}

// Find is what stands under a key, and whether it is there.
func (t Table[K, V]) Find(key K) (value V, found bool) {
	for i := range t {
		if t[i].Key == key {
			return t[i].Value, true
		}
	}
	return value, false
}

// Get is what stands under a key; nothing where it is missing.
func (t Table[K, V]) Get(key K) V {
	value, _ := t.Find(key)
	return value
}
