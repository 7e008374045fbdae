package durable_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// keeping holds a lease whose Keep runs, in a world of fake time.
func keeping(t *testing.T, fn func(f *faultfs.FS, s *durable.Store, cancel func(), ended <-chan error)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := project()
		s := durable.New(durable.Config{Dir: home, FS: f, Now: time.Now})
		l, _, err := s.Acquire("main", me, world{}.started)
		must(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- l.Keep(ctx) }()
		synctest.Wait()
		fn(f, s, cancel, ended)
		cancel()
		synctest.Wait()
	})
}

// beat is the heartbeat in the lock file, counted from when the lease began.
func beat(t *testing.T, s *durable.Store) time.Duration {
	t.Helper()
	all, err := s.Leases()
	must(t, err)
	if len(all) != 1 {
		t.Fatalf("leases: %+v", all)
	}
	began, err := time.Parse(time.RFC3339, all[0].StartedAt)
	must(t, err)
	return time.Duration(all[0].HeartbeatEpoch-began.Unix()) * time.Second
}

func pass(d time.Duration) {
	<-time.After(d) // fake time
	synctest.Wait()
}

func TestKeepBeatsEveryThirtySeconds(t *testing.T) {
	keeping(t, func(_ *faultfs.FS, s *durable.Store, cancel func(), ended <-chan error) {
		for _, test := range []struct{ wait, want time.Duration }{
			{0, 0}, {29 * time.Second, 0}, {time.Second, 30 * time.Second}, {29 * time.Second, 30 * time.Second},
			{time.Second, 60 * time.Second}, {10 * time.Minute, 11 * time.Minute},
		} {
			pass(test.wait)
			if got := beat(t, s); got != test.want {
				t.Errorf("the last beat was at %v, want %v", got, test.want)
			}
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	})
}

func TestKeepEndsWhenTheLeaseIsLost(t *testing.T) {
	keeping(t, func(f *faultfs.FS, s *durable.Store, _ func(), ended <-chan error) {
		_, _, err := s.Acquire("main", other, world{}.started)
		must(t, err)
		before := string(f.Files()[leaseAt])
		pass(durable.Beat)
		select {
		case err := <-ended:
			if !errors.Is(err, durable.ErrLeaseLost) {
				t.Errorf("ended with %v", err)
			}
		default:
			t.Error("it goes on")
		}
		if string(f.Files()[leaseAt]) != before {
			t.Error("the other's lease was touched")
		}
	})
}

// A disk that fails for a while is no reason to give the lease up.
func TestKeepOutlastsTrouble(t *testing.T) {
	keeping(t, func(f *faultfs.FS, s *durable.Store, _ func(), ended <-chan error) {
		from := f.Ops()
		for n := 1; n <= 20; n++ {
			f.Fail(from+n, faultfs.Errno(syscall.EIO))
		}
		for range 20 { // each beat meets one failure at least, until none is left
			pass(durable.Beat)
		}
		if len(ended) > 0 {
			t.Fatalf("ended with %v", <-ended)
		}
		if beat(t, s) == 0 {
			t.Error("it beats no more")
		}
	})
}
