package quality

import "math/bits"

// span is where a test or a helper stands in the token stream.
type span struct {
	name, group string // group: the class, module or describe that holds it
	test        bool
	optional    bool   // its absence is no loss
	hidden      bool   // replaced by a later definition, and never run
	gate        string // what keeps it from running by default
	from, end   int    // with attributes and decorators
	body, stop  int    // what runs
}

// unit is a test, a helper or the code outside of both, as counted.
type unit struct {
	span
	key      string // path that both sides of a rename share
	scope    bool   // code outside functions
	asserts  int    // own assertions that can fail
	calls    []call
	weak     int // assertions that only ask for presence
	trivial  int // assertions that always hold
	skips    int
	hard     int // skips under no condition
	swallows int // handlers that drop a failure
	loops    int // loops and parameter lists
	subtests int
	rows     int  // cases of its tables
	live     bool // has a statement that does something
	words    bag  // names, numbers and strings
	data     bag  // numbers and strings alone
	total    int  // asserts and those of the helpers it calls
	gain     int  // assertions not yet set against a loss
	gained   bag  // words its counterpart did not have
	isNew    bool
	judged   bool // taken for the heir of a test that is gone
	hadLoops int  // what its counterpart had
}

// call is a call by plain name; own is what it asserts when the diff does not
// show the helper of that name.
type call struct {
	name string
	own  int
}

// bag is a set of words, kept as bits of their hashes: a collision makes two
// tests look a little more alike and nothing else.
type bag [8]uint64

func (b *bag) add(w string) {
	h := uint32(2166136261)
	for i := 0; i < len(w); i++ {
		h = (h ^ uint32(w[i])) * 16777619
	}
	h ^= h >> 15
	b[h>>6&7] |= 1 << (h & 63)
}

func (b *bag) size() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// without is what b holds and c does not.
func (b bag) without(c *bag) bag {
	for i := range b {
		b[i] &^= c[i]
	}
	return b
}

func (b *bag) join(c *bag) {
	for i := range b {
		b[i] |= c[i]
	}
}

// within reports whether at least num/den of b is in c.
func (b *bag) within(c *bag, num, den int) bool {
	missing := b.without(c)
	size := b.size()
	return (size-missing.size())*den >= size*num
}
