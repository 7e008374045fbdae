package durable_test

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

const leaseAt = home + "/locks/main.lock"

// world is the processes that live, with their start stamps.
type world map[int]string

func (w world) started(pid int) (string, bool) {
	stamp, alive := w[pid]
	return stamp, alive
}

// watch is a clock that the test sets.
type watch struct{ now time.Time }

func leaseStore(f durable.FS) (*durable.Store, *watch) {
	w := &watch{clock()}
	return durable.New(durable.Config{Dir: home, FS: f, Now: func() time.Time { return w.now }}), w
}

var (
	me    = durable.Process{PID: 100, Stamp: "s100", Host: "here"}
	other = durable.Process{PID: 200, Stamp: "s200", Host: "here"}
	far   = durable.Process{PID: 300, Stamp: "s300", Host: "far"}
)

func TestALeaseHasExactlyTheseMembers(t *testing.T) {
	f := project()
	s, _ := leaseStore(f)
	_, old, err := s.Acquire("main", me, world{}.started)
	must(t, err)
	const want = `{
  "session": "main",
  "pid": 100,
  "started_at": "2026-01-02T03:04:05Z",
  "heartbeat": "2026-01-02T03:04:05Z",
  "heartbeat_epoch": 1767323045,
  "pid_stamp": "s100",
  "host": "here"
}
`
	if diff := cmp.Diff(want, string(f.Files()[leaseAt])); diff != "" || old != nil {
		t.Errorf("took over %v; file (-want +got):\n%s", old, diff)
	}
	_, _, err = s.Acquire("bare", durable.Process{PID: 7}, world{}.started)
	must(t, err)
	text := string(f.Files()[home+"/locks/bare.lock"])
	if strings.Contains(text, "pid_stamp") || strings.Contains(text, "host") {
		t.Errorf("empty members were written: %s", text)
	}
	all, err := s.Leases()
	must(t, err)
	if len(all) != 2 || all[0].Session != "bare" || all[1].PID != 100 {
		t.Errorf("found %+v", all)
	}
}

func TestAcquireTakesOverOnlyAStaleLease(t *testing.T) {
	for _, test := range []struct {
		name   string
		holder durable.Process
		living world
		after  time.Duration
		stale  bool
	}{
		{"its holder lives", other, world{200: "s200"}, 0, false},
		{"its holder lives but does not beat", other, world{200: "s200"}, time.Hour, false},
		{"its holder is gone", other, world{}, 0, true},
		{"its holder's number belongs to another process", other, world{200: "s999"}, 0, true},
		{"its holder has no stamp", durable.Process{PID: 200, Host: "here"}, world{200: "s999"}, 0, false},
		{"the system has no stamps", other, world{200: ""}, 0, false},
		{"its holder did not say where it runs", durable.Process{PID: 200, Stamp: "s200"}, world{}, 0, true},
		{"another machine, no beat missed", far, world{}, 29 * time.Second, false},
		{"another machine, two beats missed", far, world{}, 89 * time.Second, false},
		{"another machine, three beats missed", far, world{}, 91 * time.Second, true},
		{"another machine, whose number lives here", far, world{300: "s300"}, 91 * time.Second, true},
		{"a clock that went back", far, world{}, -time.Hour, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := project()
			s, w := leaseStore(f)
			_, _, err := s.Acquire("main", test.holder, world{}.started)
			must(t, err)
			before := string(f.Files()[leaseAt])
			w.now = w.now.Add(test.after)
			l, old, err := s.Acquire("main", me, test.living.started)
			if !test.stale {
				refused(t, err, test.holder.PID, max(0, test.after))
				if l != nil || string(f.Files()[leaseAt]) != before {
					t.Error("the lease was touched")
				}
				return
			}
			must(t, err)
			if old == nil || old.PID != test.holder.PID || old.PIDStamp != test.holder.Stamp {
				t.Errorf("took over %+v", old)
			}
			must(t, l.Check())
		})
	}
}

func refused(t *testing.T, err error, pid int, age time.Duration) {
	t.Helper()
	var locked *durable.LockedError
	if !errors.As(err, &locked) || locked.PID != pid || locked.Age.Truncate(time.Second) != age {
		t.Fatalf("got %v (%+v)", err, locked)
	}
	mentions(t, err, `the session "main"`, fmt.Sprint("process ", pid), "last heartbeat "+locked.Age.Round(time.Second).String())
}

func TestAnUnreadableLeaseIsTakenOver(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "torn": `{"session": "ma`, "a wrong type": `{"pid": "many"}`, "no object": "[]",
	} {
		t.Run(name, func(t *testing.T) {
			f := project()
			f.WriteFile(leaseAt, []byte(text))
			s, _ := leaseStore(f)
			if all, err := s.Leases(); err != nil || len(all) > 0 {
				t.Errorf("listed %v, %v", all, err)
			}
			l, old, err := s.Acquire("main", me, world{}.started)
			must(t, err)
			if diff := cmp.Diff(&durable.LeaseFile{Session: "main"}, old); diff != "" {
				t.Errorf("took over (-want +got):\n%s", diff)
			}
			must(t, l.Check())
			f.WriteFile(leaseAt, []byte(text))
			if err := l.Beat(); err == nil || errors.Is(err, durable.ErrLeaseLost) || string(f.Files()[leaseAt]) != text {
				t.Errorf("beating over a damaged lease: %v", err)
			}
		})
	}
}

// An engine that lost its lease notices, and leaves the new holder's file alone.
func TestALostLeaseIsNoticed(t *testing.T) {
	for name, lose := range map[string]func(t *testing.T, f *faultfs.FS, s *durable.Store, w *watch){
		"taken over": func(t *testing.T, f *faultfs.FS, s *durable.Store, w *watch) {
			_, old, err := s.Acquire("main", other, world{}.started)
			must(t, err)
			if old.PID != me.PID {
				t.Errorf("took over %+v", old)
			}
		},
		"taken over by the same number": func(t *testing.T, f *faultfs.FS, s *durable.Store, w *watch) {
			_, _, err := s.Acquire("main", durable.Process{PID: me.PID, Stamp: "later", Host: "here"}, world{}.started)
			must(t, err)
		},
		"taken over a second later": func(t *testing.T, f *faultfs.FS, s *durable.Store, w *watch) {
			w.now = w.now.Add(time.Second)
			_, _, err := s.Acquire("main", me, world{}.started)
			must(t, err)
		},
		"removed": func(t *testing.T, f *faultfs.FS, s *durable.Store, w *watch) { must(t, f.Remove(leaseAt)) },
	} {
		t.Run(name, func(t *testing.T) {
			f := project()
			s, w := leaseStore(f)
			l, _, err := s.Acquire("main", me, world{}.started)
			must(t, err)
			must(t, l.Check())
			lose(t, f, s, w)
			before := f.Files()
			for name, do := range map[string]func() error{"check": l.Check, "beat": l.Beat, "release": l.Release} {
				if err := do(); !errors.Is(err, durable.ErrLeaseLost) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if diff := cmp.Diff(before, f.Files()); diff != "" {
				t.Errorf("files (-before +after):\n%s", diff)
			}
		})
	}
}

func TestABeatAndARelease(t *testing.T) {
	f := project()
	s, w := leaseStore(f)
	if all, err := s.Leases(); err != nil || len(all) > 0 {
		t.Errorf("listed %v, %v", all, err)
	}
	l, _, err := s.Acquire("main", me, world{}.started)
	must(t, err)
	w.now = w.now.Add(durable.Beat)
	must(t, l.Beat())
	all, err := s.Leases()
	must(t, err)
	want := durable.LeaseFile{Session: "main", PID: 100, StartedAt: "2026-01-02T03:04:05Z", Heartbeat: "2026-01-02T03:04:35Z",
		HeartbeatEpoch: w.now.Unix(), PIDStamp: "s100", Host: "here"}
	if diff := cmp.Diff([]durable.LeaseFile{want}, all); diff != "" {
		t.Errorf("leases (-want +got):\n%s", diff)
	}
	must(t, l.Release())
	if files, err := named(f, "main.lock"), l.Release(); len(files) > 0 || !errors.Is(err, durable.ErrLeaseLost) {
		t.Errorf("left %q; released twice: %v", files, err)
	}
}

// An operation that fails costs the lease nothing: it is taken or not taken.
func TestAFailingOperationTakesNoHalfALease(t *testing.T) {
	f := project()
	s, _ := leaseStore(f)
	_, _, err := s.Acquire("main", me, world{}.started)
	must(t, err)
	for n := 1; n <= f.Ops(); n++ {
		g := project()
		g.Fail(n, faultfs.Errno(syscall.EIO))
		s, _ := leaseStore(g)
		l, _, err := s.Acquire("main", me, world{100: "s100"}.started)
		if (l == nil) != (err != nil) {
			t.Fatalf("operation %d: %v, %v", n, l, err)
		}
		if err == nil {
			must(t, l.Check())
		} else if len(named(g, "main.lock")) > 0 && !said(err) {
			t.Errorf("operation %d: %v left %q", n, err, named(g, "main.lock"))
		}
	}
}

// A session's name becomes a file's: none may lead out of the folder.
func TestASessionsNameCannotLeadElsewhere(t *testing.T) {
	for _, name := range []string{"", "..", "../main", "a/b", ".hidden", "-rf", "a b", strings.Repeat("x", 300)} {
		f := project()
		s, _ := leaseStore(f)
		_, _, err := s.Acquire(name, me, world{}.started)
		mentions(t, err, "cannot be called")
		if files := named(f, ".lock"); len(files) > 0 {
			t.Errorf("%q: made %q", name, files)
		}
	}
}

// A workflow is not called a session, although its lease is one like theirs.
func TestWhatIsHeldIsCalledWhatItIs(t *testing.T) {
	for lease, what := range map[string]string{"workflow": "the workflow", "warp-drive": "the drive", "night": `the session "night"`} {
		s := durable.New(durable.Config{Dir: t.TempDir(), Now: time.Now})
		me := durable.Process{PID: 7}
		alive := func(int) (string, bool) { return "", true }
		_, _, err := s.Acquire(lease, me, alive)
		must(t, err)
		_, _, err = s.Acquire(lease, me, alive)
		mentions(t, err, what+" is held by process")
	}
}
