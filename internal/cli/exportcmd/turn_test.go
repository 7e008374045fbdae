package exportcmd

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// An exporter whose process is gone before it had its turn sends what the one before it
// did not see any more; when that one goes on, it has seen everything.
func TestTheTurnIsWaitedForAfterTheEnd(t *testing.T) {
	for name, c := range map[string]struct{ ends, stopped bool }{"the other ends": {true, false}, "the other goes on": {false, false}, "it is told to end": {true, true}} {
		t.Run(name, func(t *testing.T) {
			store := durable.New(durable.Config{Dir: t.TempDir(), Now: time.Now, PID: os.Getpid()})
			synctest.Test(t, func(t *testing.T) {
				stamp, _ := proc.Started(os.Getppid())
				other, _, err := store.Acquire("x", durable.Process{PID: os.Getppid(), Stamp: stamp}, proc.Started)
				if err != nil {
					t.Fatal(err)
				}
				asked, stop := context.WithCancel(t.Context())
				defer stop()
				ctx, gone := context.WithCancel(asked)
				gone()
				if c.stopped {
					stop()
				}
				began := time.Now()
				time.AfterFunc(5*time.Second, func() {
					if c.ends {
						_ = other.Release()
					}
				})
				free, err := takeTurn(asked, ctx, store, "x", os.Getpid())
				if err != nil || (free != nil) != (c.ends && !c.stopped) || c.stopped && time.Since(began) > 0 {
					t.Fatalf("it has the turn: %v, %v", free != nil, err)
				}
				if free != nil {
					free()
				}
			})
		})
	}
}
