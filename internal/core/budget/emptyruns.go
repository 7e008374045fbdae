package budget

import "sync"

// Breaker ends work whose agent does nothing at all: one that crashes at its
// start, says nothing or is not logged in does so again and again (a night of 65
// such runs and 25 filed bugs is what it is for).
type Breaker struct {
	mu    sync.Mutex
	empty int
	why   string
	night *Night // nil: it is alone
}

// breakAt is how many runs in a row may come to nothing.
const breakAt = 3

// Ran takes a run: nothing says that it came to nothing, and why.
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
	return "three runs of the agent in a row came to nothing: " + b.why
}

// Open says why no further run is begun; "" when one may be.
func (b *Breaker) Open() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.empty < breakAt {
		return ""
	}
	return b.reason()
}

// Night has a breaker for each of its drives: an agent that crashes over one issue may
// well do the next. One that does nothing for two of them in a row ends the night.
type Night struct {
	mu     sync.Mutex
	broken int // drives since an agent did something
	why    string
}

// haltAt is how many drives in a row may be broken.
const haltAt = 2

// Breaker makes the breaker of one drive.
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

// Halted says why no further drive is begun; "" when one may be.
func (n *Night) Halted() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.broken < haltAt {
		return ""
	}
	return n.why
}
