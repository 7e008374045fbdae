package budget

import "sync"

// Breaker ends work whose agent does nothing at all: one that crashes at its
// start, says nothing or is not logged in does so again and again (a night of 65
// such runs and 25 filed bugs is what it is for).
// Several drives of a night share one.
type Breaker struct {
	mu    sync.Mutex
	empty int
	why   string
}

// breakAt is how many runs in a row may come to nothing.
const breakAt = 3

// Ran takes a run: nothing says that it came to nothing, and why.
func (b *Breaker) Ran(nothing bool, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !nothing {
		b.empty = 0
		return
	}
	b.empty++
	b.why = why
}

// Open says why no further run is begun; "" when one may be.
func (b *Breaker) Open() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.empty < breakAt {
		return ""
	}
	return "three runs of the agent in a row came to nothing: " + b.why
}
