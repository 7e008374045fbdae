package durable_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"warp/internal/durable"
)

const lockAt = home + "/.warp-drive.lock"

func isLocked(err error) bool {
	var l *durable.LockedError
	return errors.As(err, &l) && l.PID == 0
}

// A lock that is held elsewhere is waited for, but not for ever. Then nothing
// happened, and the lock that comes too late is given back.
func TestALockHeldElsewhereIsWaitedForButNotForEver(t *testing.T) {
	unwanted := func(*durable.Tx[state]) error { t.Error("fn was run"); return nil }
	for _, wait := range []time.Duration{0, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			f, _, text := lived(t, 1)
			s := durable.New(durable.Config{Dir: home, FS: f, Now: clock, Wait: wait})
			d := durable.Open(s, "drive.json", kind)
			held, err := f.Lock(lockAt)
			must(t, err)
			if wait == 0 {
				wait = 10 * time.Second
			}
			for name, do := range map[string]func() error{
				"update":  func() error { _, err := d.Update(unwanted); return err },
				"remove":  func() error { _, err := d.Remove(); return err },
				"rebuild": func() error { _, err := d.Rebuild(); return err },
				"append":  func() error { return s.Append("note", "x") },
				"write":   func() error { return setFile(s, "x", nil) },
				"acquire": func() error { _, _, err := s.Acquire("x", durable.Process{}, nil); return err },
			} {
				start := time.Now()
				err := do()
				if waited := time.Since(start); !isLocked(err) || waited != wait {
					t.Errorf("%s: %v after %v", name, err, waited)
				}
				mentions(t, err, lockAt, "locked by another process")
			}
			if string(f.Files()[stateAt]) != text || len(named(f, ".tmp")) > 0 {
				t.Error("something was written")
			}
			if v := read(t, d); v.Doc.Count != 1 { // reading needs no lock
				t.Errorf("found %+v", v.Doc)
			}
			must(t, held.Close())
			synctest.Wait()
			update(t, d, step)
		})
	}
}

// Only a state that must be repaired is locked for reading.
func TestReadingADamagedStateWaitsForTheLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, d, _ := lived(t, 1)
		f.WriteFile(stateAt, nil)
		held, err := f.Lock(lockAt)
		must(t, err)
		if _, err := d.Read(); !isLocked(err) {
			t.Errorf("got %v", err)
		}
		must(t, held.Close())
		synctest.Wait()
		read(t, d)
	})
}

func TestALockThatFailsIsAnError(t *testing.T) {
	f := project()
	f.Symlink("/p/readme", lockAt)
	_, err := docOn(f, roomy).Update(step)
	mentions(t, err, "locking", lockAt)
	if string(f.Files()["/p/readme"]) != "a project\n" {
		t.Error("the link was followed")
	}
}
