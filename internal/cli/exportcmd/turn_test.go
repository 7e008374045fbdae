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
	for name, ends := range map[string]bool{"the other ends": true, "the other goes on": false} {
		t.Run(name, func(t *testing.T) {
			store := durable.New(durable.Config{Dir: t.TempDir(), Now: time.Now, PID: os.Getpid()})
			synctest.Test(t, func(t *testing.T) {
				stamp, _ := proc.Started(os.Getppid())
				other, _, err := store.Acquire("x", durable.Process{PID: os.Getppid(), Stamp: stamp}, proc.Started)
				if err != nil {
					t.Fatal(err)
				}
				ctx, gone := context.WithCancel(t.Context())
				gone()
				time.AfterFunc(5*time.Second, func() {
					if ends {
						_ = other.Release()
					}
				})
				free, err := takeTurn(t.Context(), ctx, store, "x", os.Getpid())
				if err != nil || (free != nil) != ends {
					t.Fatalf("it has the turn: %v, %v", free != nil, err)
				}
				if free != nil {
					free()
				}
			})
		})
	}
}
