package budget

import "sync"

// Breaker ends work whose agent does nothing at all: one that crashes at its start, says nothing or
// is not logged in repeats that with every run (it was added after a night of 65 such runs and 25
// filed bugs).
type Breaker struct {
	mu    sync.Mutex
	empty int
	why   string
	night *Night // nil if it is alone
}

// breakAt is how many empty runs in a row open the breaker.
const breakAt = 3

// Ran records whether a run did nothing, and why.
func (b *Breaker) Ran(nothing bool, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !nothing {
		b.empty = 0
	} else {
		b.empty++
		b.why = why
	}
	if b.night != nil && (!nothing || b.empty == breakAt) {
		b.night.note(nothing, b.reason())
	}
}

func (b *Breaker) reason() string {
	return "three agent runs in a row did nothing: " + b.why
}

// Open returns why no further run may start; "" if one may.
func (b *Breaker) Open() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.empty < breakAt {
		return ""
	}
	return b.reason()
}

// Night has a breaker for each of its drives: an agent that crashes on one issue may well do the
// next. If it does nothing for two drives in a row, the night ends.
type Night struct {
	mu     sync.Mutex
	broken int // drives since an agent did something
	why    string
}

// haltAt is how many broken drives in a row end the night.
const haltAt = 2

// Breaker returns the breaker of one drive.
func (n *Night) Breaker() *Breaker { return &Breaker{night: n} }

func (n *Night) note(broken bool, why string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !broken {
		n.broken = 0
		return
	}
	n.broken++
	n.why = why
}

// Halted returns why no further drive may start; "" if one may.
func (n *Night) Halted() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken < haltAt {
		return ""
	}
	return n.why
}
