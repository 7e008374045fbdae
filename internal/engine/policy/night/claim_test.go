package night_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/policy/night"
	"warp/internal/engine/step"
)

// interrupted is a file system on which something else happens right before the first lock.
type interrupted struct {
	durable.OS
	first func()
}

func (i *interrupted) TryLock(name string) (io.Closer, bool) {
	if first := i.first; first != nil {
		i.first = nil
		first()
	}
	return i.OS.TryLock(name)
}

// Of two engines that find the same killed night, one continues it, also when the other wants
// it while the one has already ended it.
func TestOneOfTwoEnginesContinuesAKilledNight(t *testing.T) {
	for _, ended := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), ".claude")
		killed := openHome(dir, gone)
		record(t, killed, event.Night, nightRow{Began: event.Stamp(began), PID: gone})
		record(t, killed, event.Outcome, evidence.Outcome{Issue: "1", Result: evidence.Merged})

		var faster *night.Night
		var accounts []string
		finish := func(n *night.Night) { accounts = append(accounts, strings.Join(issues(end(t, n)), ",")) }
		fs := &interrupted{first: func() {
			faster = begin(t, openHome(dir, os.Getppid()), os.Getppid())
			if ended {
				finish(faster)
			}
		}}
		slower := begin(t, durable.New(durable.Config{Dir: dir, FS: fs, Now: time.Now, PID: os.Getpid()}), os.Getpid())
		if !ended {
			finish(faster)
		}
		finish(slower)
		if got := strings.Join(accounts, "; "); got != "1 merged; " {
			t.Errorf("ended first: %v: the accounts have %q", ended, got)
		}
		if n, err := night.CountKilled(killed); err != nil || n != 0 {
			t.Errorf("%d are left, %v", n, err)
		}
	}
}

// What only ends killed nights begins none of its own when another engine was faster.
func TestEndingKilledNightsBeginsNone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude")
	record(t, openHome(dir, gone), event.Night, nightRow{Began: event.Stamp(began), PID: gone})
	fs := &interrupted{first: func() { begin(t, openHome(dir, os.Getppid()), os.Getppid()) }}
	home := durable.New(durable.Config{Dir: dir, FS: fs, Now: time.Now, PID: os.Getpid()})
	if n, err := night.TakeKilled(home, step.Process{PID: os.Getpid()}, 0, clock()); n != nil || err != nil {
		t.Errorf("%v, %v", n, err)
	}
}

// Two nights that begin in the same millisecond are two.
func TestTwoNightsOfOneMoment(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude")
	one, two := openHome(dir, os.Getppid()), openHome(dir, os.Getpid())
	first, second := begin(t, one, os.Getppid()), begin(t, two, os.Getpid())
	record(t, one, event.Outcome, evidence.Outcome{Issue: "1", Result: evidence.Merged})
	record(t, two, event.Outcome, evidence.Outcome{Issue: "2", Result: evidence.Merged})
	if got := strings.Join(append(issues(end(t, first)), issues(end(t, second))...), ","); got != "1 merged,2 merged" {
		t.Errorf("the accounts have %s", got)
	}
}
