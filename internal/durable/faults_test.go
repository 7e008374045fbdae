package durable_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"warp/internal/testkit/faultfs"
)

// said tells whether an error says itself that the new state may be there.
func said(err error) bool {
	return strings.Contains(err.Error(), "is in place") || strings.Contains(err.Error(), "may apply")
}

// after is what may be found once act number done ended with err.
func after(states []string, done int, err error) []string {
	switch {
	case err == nil:
		return states[done : done+1]
	case said(err):
		return states[done : done+2]
	}
	return states[done : done+1]
}

// Every operation of the script fails once in every way. An error means that
// nothing changed, unless it says otherwise; no error means that the change is
// there, power cut or not. The same command works the next time.
func TestAFailingOperationLosesNothing(t *testing.T) {
	faults := []faultfs.Fault{
		faultfs.Errno(syscall.ENOSPC), faultfs.Errno(syscall.EIO), faultfs.Errno(syscall.EACCES),
		faultfs.Errno(syscall.EMFILE), faultfs.ShortWrite,
	}
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rehearse(t, s)
			points, silent, take := 0, 0, sample(37)
			for n := range r.ops {
				for _, how := range faults {
					if !take() {
						continue
					}
					f := s.disk()
					f.Fail(f.Ops()+n+1, how)
					done, err := 0, error(nil)
					for done < len(script) && err == nil && f.Hits() == 0 {
						if _, err = perform(f, s, script[done:done+1]); err == nil {
							done++
						}
					}
					if f.Hits() == 0 {
						continue // a short write of something that is no write
					}
					points++
					if err == nil {
						silent++
					} else if errno, is := how.(faultfs.Errno); is && !errors.Is(err, syscall.Errno(errno)) {
						t.Errorf("%v at operation %d: the error hides the cause: %v", how, n, err)
					}
					if msg := recovers(f, s, r.states, done, err); msg != nil {
						t.Fatalf("%v at operation %d, act %d ended with: %v\n%v\n%s", how, n, done, err, msg, tail(f))
					}
				}
			}
			t.Logf("%d operations, %d faults, %d of them without an error", len(r.ops), points, silent)
			row(t, points, 0)
		})
	}
}

// recovers checks the disk after act number done ended with err.
func recovers(f *faultfs.FS, s setting, states []string, done int, err error) error {
	allowed := after(states, done, err)
	if msg := sound(f.Restart(), s, allowed...); msg != nil {
		return msg
	}
	if err == nil {
		for _, mode := range some(faultfs.Modes()) {
			if msg := sound(f.AfterPowerCut(mode), s, allowed...); msg != nil {
				return errors.Join(errors.New("after a power cut, "+mode.String()), msg)
			}
		}
		return nil
	}
	if text, _, _ := look(s.doc(f.Restart())); text != states[done] {
		return nil // the change happened: doing it again is another one
	}
	if _, err := perform(f, s, script[done:done+1]); err != nil {
		return errors.Join(errors.New("the same command again"), err)
	}
	return sound(f.AfterPowerCut(faultfs.DropAll), s, states[done+1])
}

// A disk that turns read-only for good: whatever the error, the state is the
// one before or, if the error says so, the one after.
func TestADiskThatFailsForGoodLosesNothing(t *testing.T) {
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rehearse(t, s)
			points, take := 0, sample(17)
			for n := range r.ops {
				if !take() {
					continue
				}
				f := s.disk()
				base := f.Ops()
				for i := n; i <= len(r.ops)+50; i++ {
					f.Fail(base+i+1, faultfs.Errno(syscall.EIO))
				}
				done, err := perform(f, s, script)
				if err == nil {
					continue // only unlocks were left
				}
				points++
				for _, mode := range faultfs.Modes() {
					allowed := after(r.states, done, err)
					if mode != faultfs.KeepAll {
						allowed = r.states[done : done+2] // what an error took back may come back
					}
					if msg := sound(f.AfterPowerCut(mode), s, allowed...); msg != nil {
						t.Fatalf("from operation %d on, act %d ended with: %v\n%v: %v\n%s", n, done, err, mode, msg, tail(f))
					}
				}
			}
			t.Logf("%d operations, %d points in %d modes", len(r.ops), points, len(faultfs.Modes()))
			row(t, points, 0)
		})
	}
}
