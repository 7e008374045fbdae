package worker

import (
	"maps"
	"slices"
	"sync"
	"time"

	"warp/internal/fleet/flow"
)

// seat holds one requirement's drive on this worker. One activity uses it at a time.
type seat struct {
	sync.Mutex
	drive *process // nil if none runs
	// The attempt and the last step that the drive has seen.
	attempt int
	serial  int64
	told    time.Time // when the fleet last got evidence
	removed bool      // removed from seats; find a new one
}

// isAt reports whether the seat's drive is the right one for a step and waits for exactly that step.
func (s *seat) isAt(step flow.Step) bool {
	return s.drive != nil && s.attempt == step.Work.Attempt && s.serial+1 == step.Serial
}

// leave ends the drive, if any, and waits until it is gone.
func (s *seat) leave() {
	if s.drive != nil {
		s.drive.kill()
		s.drive = nil
	}
}

// seats holds a worker's seats by repo#issue.
type seats struct {
	mu  sync.Mutex
	all map[string]*seat
}

// take waits for the seat of a requirement; the caller must unlock it.
func (l *seats) take(work flow.Work) *seat {
	for {
		s := l.find(work)
		s.Lock()
		if !s.removed {
			return s
		}
		s.Unlock()
	}
}

func (l *seats) find(work flow.Work) *seat {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := work.ID()
	if l.all == nil {
		l.all = map[string]*seat{}
	}
	if l.all[id] == nil {
		l.all[id] = &seat{}
	}
	return l.all[id]
}

// removeIdle removes the seats without a drive: they hold no state.
func (l *seats) removeIdle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.all, func(_ string, s *seat) bool {
		if !s.TryLock() {
			return false
		}
		defer s.Unlock()
		s.removed = s.drive == nil
		return s.removed
	})
}

// endDrives ends the drives that wait for their next phase.
func (l *seats) endDrives() {
	l.mu.Lock()
	list := slices.Collect(maps.Values(l.all))
	l.mu.Unlock()
	for _, s := range list {
		s.Lock()
		s.leave()
		s.Unlock()
	}
}
