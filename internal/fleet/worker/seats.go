package worker

import (
	"maps"
	"slices"
	"sync"
	"time"

	"warp/internal/fleet/flow"
)

// seat is where a worker drives one requirement. One activity uses it at a time.
type seat struct {
	sync.Mutex
	drive *process // nil: none runs
	// The attempt and the last step that the drive knows of.
	attempt int
	serial  int64
	told    time.Time // when the fleet was last told the evidence
	removed bool      // another has its place
}

// isAt tells whether the seat's drive is the one that a step is for, and stands before it.
func (s *seat) isAt(step flow.Step) bool {
	return s.drive != nil && s.attempt == step.Work.Attempt && s.serial+1 == step.Serial
}

// leave ends the drive, if there is one, and waits until it is gone.
func (s *seat) leave() {
	if s.drive != nil {
		s.drive.kill()
		s.drive = nil
	}
}

// takeSeat waits for the seat of a requirement, which the caller unlocks.
func (w *Worker) takeSeat(work flow.Work) *seat {
	for {
		s := w.seatOf(work)
		s.Lock()
		if !s.removed {
			return s
		}
		s.Unlock()
	}
}

func (w *Worker) seatOf(work flow.Work) *seat {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := work.Repository.Name + "#" + work.Issue
	if w.seats[id] == nil {
		w.seats[id] = &seat{}
	}
	return w.seats[id]
}

// removeIdleSeats forgets the seats that nothing sits on: one without a drive knows nothing.
func (w *Worker) removeIdleSeats() {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.seats, func(_ string, s *seat) bool {
		if !s.TryLock() {
			return false
		}
		defer s.Unlock()
		s.removed = s.drive == nil
		return s.removed
	})
}

// endDrives ends what waits for its next phase.
func (w *Worker) endDrives() {
	w.mu.Lock()
	seats := slices.Collect(maps.Values(w.seats))
	w.mu.Unlock()
	for _, s := range seats {
		s.Lock()
		s.leave()
		s.Unlock()
	}
}
