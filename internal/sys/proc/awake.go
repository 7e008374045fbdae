package proc

import (
	"context"
	"sync"
	"time"
)

// awakeTimer fires when the process was awake for so long.
type awakeTimer struct {
	*time.Timer
	stalled time.Duration // when it was armed
}

func newAwakeTimer(d time.Duration) *awakeTimer {
	return &awakeTimer{time.NewTimer(d), stalled()}
}

func (t *awakeTimer) reset(d time.Duration) {
	t.stalled = stalled()
	t.Reset(d)
}

// isEarly is asked when it has fired: time asleep is given back, and it goes on.
func (t *awakeTimer) isEarly() bool {
	slept := stalled() - t.stalled
	if slept <= 0 {
		return false
	}
	t.reset(slept)
	return true
}

// AfterAwake calls a function when the process was awake for so long, unless it is
// stopped before.
func AfterAwake(d time.Duration, fn func()) (stop func()) {
	t, stopped := newAwakeTimer(d), make(chan struct{})
	go func() {
		defer t.Stop()
		for {
			select {
			case <-stopped:
				return
			case <-t.C:
				if !t.isEarly() {
					fn()
					return
				}
			}
		}
	}()
	return sync.OnceFunc(func() { close(stopped) })
}

// WaitUntil waits for a moment of the wall clock. A timer alone would come late by what
// the machine slept.
func WaitUntil(ctx context.Context, at time.Time, now func() time.Time) error {
	for {
		left := at.Sub(now().Round(0))
		if left <= 0 {
			return ctx.Err()
		}
		t := time.NewTimer(min(left, lookAtWall))
		select {
		case <-ctx.Done():
			t.Stop()
			return ctx.Err()
		case <-t.C:
		}
	}
}

// lookAtWall is how late WaitUntil may be after a sleep.
const lookAtWall = 5 * time.Second
