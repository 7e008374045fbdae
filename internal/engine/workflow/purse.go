package workflow

import "sync"

// purse shares out what may still be spent among agents that run side by side, so
// that together they may not spend more than there is.
type purse struct {
	mu      sync.Mutex
	sharers int // that may run at once
	running int
	given   int64
}

// share says among how many it is shared from now on.
func (p *purse) share(sharers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sharers = sharers
}

// take is what one more agent may spend of what is left. It is never nothing,
// which would be no bound.
func (p *purse) take(left int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	part := max(1, (left-p.given)/int64(max(1, p.sharers-p.running)))
	p.running++
	p.given += part
	return part
}

// giveBack ends what take began; nothing was taken as nothing.
func (p *purse) giveBack(part int64) {
	if part == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running--
	p.given -= part
}
