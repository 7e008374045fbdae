package faultfs

import (
	"errors"
	"io"
	"io/fs"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
)

func TestLockWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New()
		first, err := f.Lock("/l")
		must(t, err)
		holds(t, f, "/l", "")
		var second io.Closer
		go func() { second, _ = f.Lock("/l") }()
		synctest.Wait()
		if second != nil {
			t.Fatal("two hold the lock")
		}
		// The wait blocks neither other locks nor other work.
		other, err := f.Lock("/m")
		must(t, err)
		must(t, other.Close())
		must(t, first.Close())
		synctest.Wait()
		if second == nil {
			t.Fatal("the lock was not passed on")
		}
		must(t, second.Close())
		if err := second.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Fatalf("got %v", err)
		}
		third, err := f.Lock("/l")
		must(t, err)
		must(t, third.Close())
	})
}

func TestCrashEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := New()
		held, err := f.Lock("/l")
		must(t, err)
		var waited error
		go func() { _, waited = f.Lock("/l") }()
		synctest.Wait()
		f.Fail(f.Ops()+1, Crash)
		_, err = f.Lstat("/l")
		crashed(t, err)
		synctest.Wait()
		crashed(t, waited)
		crashed(t, held.Close())
		for _, mode := range []Mode{KeepAll, MetadataFirst, DropAll} {
			after := f.AfterPowerCut(mode)
			l, err := after.Lock("/l")
			must(t, err)
			must(t, l.Close())
		}
	})
}

func TestLocksAreGoneAfterRestart(t *testing.T) {
	f := New()
	held, err := f.Lock("/l")
	must(t, err)
	again := f.Restart()
	l, err := again.Lock("/l")
	must(t, err)
	// The dead process has no say about the new lock.
	must(t, held.Close())
	must(t, l.Close())
}

func TestLockFaults(t *testing.T) {
	f := New()
	f.Fail(1, Errno(syscall.ENOLCK))
	_, err := f.Lock("/l")
	is(t, err, syscall.ENOLCK)
	holds(t, f)
	l, err := f.Lock("/l")
	must(t, err)
	f.Fail(f.Ops()+1, Errno(syscall.EIO))
	is(t, l.Close(), syscall.EIO)
	// It is free nevertheless: this does not wait.
	l, err = f.Lock("/l")
	must(t, err)
	must(t, l.Close())
}

func TestLockBelongsToTheInode(t *testing.T) {
	f := New()
	_, err := f.Lock("/l")
	must(t, err)
	must(t, f.Remove("/l"))
	l, err := f.Lock("/l")
	must(t, err)
	must(t, l.Close())
}

// TestConcurrency is for the race detector: an unguarded counter under Lock,
// and all kinds of operations beside it.
func TestConcurrency(t *testing.T) {
	const workers, rounds = 8, 50
	f := New()
	f.WriteFile("/d/shared", nil)
	var group sync.WaitGroup
	counter := 0
	for range workers {
		group.Go(func() {
			for range rounds {
				l, err := f.Lock("/d/l")
				if err != nil {
					t.Error(err)
					return
				}
				counter++
				o, err := f.Open("/d/shared", extend, 0)
				if err != nil {
					t.Error(err)
					return
				}
				o.Write([]byte("x"))
				o.Sync()
				l.Close()
				f.ReadDir("/d")
				f.AfterPowerCut(Torn).Files()
				o.Close()
			}
		})
	}
	group.Wait()
	if counter != workers*rounds || len(f.Files()["/d/shared"]) != workers*rounds {
		t.Errorf("counted %d, wrote %d", counter, len(f.Files()["/d/shared"]))
	}
	if f.Ops() != workers*rounds*7 {
		t.Errorf("%d operations", f.Ops())
	}
}
