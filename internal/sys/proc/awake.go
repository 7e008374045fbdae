package proc

import (
	"context"
	"sync"
	"time"
)

// awakeTimer fires after the process has been awake for a duration.
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

// isEarly is called when the timer fires: it adds the time asleep and rearms the timer.
func (t *awakeTimer) isEarly() bool {
	slept := stalled() - t.stalled
	if slept <= 0 {
		return false
	}
	t.reset(slept)
	return true
}

// AfterAwake calls fn after the process has been awake for d, unless stopped before.
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

// WaitUntil waits for a time of the wall clock, but no longer than it was away at the start: a
// clock that is set back or stands still does not delay it. A plain timer would be late by the time
// that the machine slept.
func WaitUntil(ctx context.Context, at time.Time, now func() time.Time) error {
	most := time.NewTimer(max(0, at.Sub(now().Round(0))))
	defer most.Stop()
	look := time.NewTicker(lookAtWall)
	defer look.Stop()
	for at.Sub(now().Round(0)) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-most.C:
			return ctx.Err()
		case <-look.C:
		}
	}
	return ctx.Err()
}

// lookAtWall is how late WaitUntil may be after a sleep.
const lookAtWall = 5 * time.Second

// Pause waits, but not longer than the context lasts.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
