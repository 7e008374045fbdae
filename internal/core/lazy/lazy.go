// Package lazy makes values at their first use: above all regular expressions, which are slow to
// compile. The compiler lays out a Value statically, so the linker drops one that nothing uses,
// together with its Make function. It cannot drop what sync.OnceValue makes, since that runs when
// the program starts: warp-hook used to link every pattern of packages from which it needs one
// function.
package lazy

import (
	"regexp"
	"sync"
)

// Value is made by Make on first use. It is a package variable and must not be copied.
type Value[T any] struct {
	Make  func() T
	once  sync.Once
	value T
}

func (v *Value[T]) Get() T {
	v.once.Do(func() { v.value = v.Make() })
	return v.value
}

// Pattern is a regular expression that is compiled on first use.
type Pattern struct {
	Text  string
	once  sync.Once
	value *regexp.Regexp
}

// Get returns the compiled pattern.
func (p *Pattern) Get() *regexp.Regexp {
	p.once.Do(func() { p.value = regexp.MustCompile(p.Text) })
	return p.value
}

// Table is a small map that the compiler lays out statically: a real map is built whenever the
// program starts, which warp-hook does on every tool call.
type Table[K comparable, V any] []struct {
	Key   K
	Value V
}

// Find returns the value of a key, and whether it exists.
func (t Table[K, V]) Find(key K) (value V, found bool) {
	for i := range t {
		if t[i].Key == key {
			return t[i].Value, true
		}
	}
	return value, false
}

// Get returns the value of a key, or the zero value.
func (t Table[K, V]) Get(key K) V {
	value, _ := t.Find(key)
	return value
}
