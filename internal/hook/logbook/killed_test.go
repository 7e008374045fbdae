package logbook_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/durable"
	"warp/internal/hook/logbook"
	"warp/internal/testkit/faultfs"
)

// deskOn is a desk on a file system that can crash.
func deskOn(t *testing.T, f *faultfs.FS, now time.Time) *desk {
	d := &desk{t: t, now: now}
	clock := func() time.Time { return d.now }
	d.store = durable.New(durable.Config{Dir: "/p/.claude", FS: f, Now: clock, PID: 1})
	d.Book = logbook.Open(d.store, clock)
	return d
}

// lived has a session that ran for half an hour, with an error and an agent's finding, and
// is the current one or has another beside it.
func lived(t *testing.T, isCurrent bool) (*faultfs.FS, *desk) {
	f := faultfs.New()
	if err := f.MkdirAll("/p/.claude", 0o700); err != nil {
		t.Fatal(err)
	}
	d := deskOn(t, f, time.Date(2026, 5, 8, 12, 0, 0, 0, time.UTC))
	d.beginAs("a", 1)
	if !isCurrent {
		d.beginAs("beside", 2)
	}
	d.agent("a", "one", "x")
	d.now = d.now.Add(30 * time.Minute)
	d.fail("a", "k")
	_, err := d.FlushSession("a", &telemetry.Standing{QueueDone: 5})
	d.ok(err)
	return f, d
}

// Wherever the end of a session is interrupted, the next start completes it: its figures
// are in the metrics, once, and what it left is cleaned up.
func TestAnInterruptedEndIsCompleted(t *testing.T) {
	ends := map[string]func(*desk) error{
		"by itself": func(d *desk) error { return d.EndSession("a", "other", nil) },
		"died":      func(d *desk) error { return d.EndDeadSession("a") },
	}
	for _, isCurrent := range []bool{true, false} {
		for how, end := range ends {
			for _, next := range []string{"b", "a"} {
				t.Run(how+", then "+next+", current "+strconv.FormatBool(isCurrent), func(t *testing.T) {
					f, d := lived(t, isCurrent)
					first := f.Ops()
					d.ok(end(d))
					trace := f.Trace()
					want := d.row("a")
					for n := first + 1; n <= len(trace); n++ {
						if !changes(trace[n-1]) {
							continue
						}
						f, d := lived(t, isCurrent)
						f.Fail(n, faultfs.Crash)
						if err := end(d); err == nil {
							t.Fatalf("operation %d did not crash: %s", n, trace[n-1])
						}
						d = deskOn(t, f.Restart(), d.now)
						d.beginAs(next, 3)
						d.ok(d.EndDeadSessions(next, living(2, 3)))
						if next == "a" && d.row("a") == nil { // killed before it ended: it goes on
							d.ok(end(d))
						}
						if diff := cmp.Diff(want, d.row("a"), cmpopts.IgnoreTypes(lossless.Origin{})); diff != "" {
							t.Fatalf("killed at operation %d (-want +got):\n%s", n, diff)
						}
						if results, err := d.Subagents.ListResults("a"); err != nil || len(results) != 0 {
							t.Fatalf("killed at operation %d: results are left: %v, %v", n, results, err)
						}
					}
				})
			}
		}
	}
}

// changes tells whether an operation changes what the next process finds.
func changes(operation string) bool {
	verb, _, _ := strings.Cut(operation, " ")
	return verb == "write" || verb == "rename" || verb == "remove" || verb == "truncate"
}

// row is what the metrics say of a session, which is in them once; without how it ended.
func (d *desk) row(id string) (row *telemetry.SessionMetrics) {
	d.t.Helper()
	m, err := d.Metrics()
	d.ok(err)
	for _, r := range m.Sessions {
		if r.SessionID != id {
			continue
		}
		if row != nil {
			d.t.Fatalf("%s is counted twice", id)
		}
		r.EndReason = ""
		row = &r
	}
	return row
}

// The metrics of a version that did not mark what it had counted are not added to.
func TestAnEndThatAnEarlierVersionCountedIsNotCountedAgain(t *testing.T) {
	d := newDesk(t)
	d.beginAs("a", 1)
	d.fail("a", "k")
	d.ok(d.EndSession("a", "other", nil))
	for _, name := range []string{"current.json", "metrics.json"} {
		path := filepath.Join(d.root, ".claude/state/session", name)
		text, err := os.ReadFile(path)
		d.ok(err)
		var old []string
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, `"counted"`) && (name == "current.json" || !strings.Contains(line, `"ended"`)) {
				old = append(old, line)
			}
		}
		d.ok(os.WriteFile(path, []byte(strings.Join(old, "")), 0o600))
	}
	d.beginAs("b", 2)
	if m, err := d.Metrics(); err != nil || len(m.Sessions) != 1 || m.Sessions[0].Errors.Total != 1 {
		t.Errorf("%+v, %v", m, err)
	}
}
