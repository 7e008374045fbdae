package durable_test

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/testkit/faultfs"
)

var crashes = []faultfs.Fault{faultfs.Crash, faultfs.CrashAfter}

// Every operation of the script is the last one once, and the power goes in
// every mode: what was acknowledged is there, what was not is there as a whole
// or not at all, and the next update just works.
func TestAcknowledgedUpdatesSurviveACrashAtEveryOperation(t *testing.T) {
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rehearse(t, s)
			points, take := 0, sample(17)
			for n := range r.ops {
				for _, how := range crashes {
					if !take() {
						continue
					}
					f, done := crashAt(s, n, how)
					if done == len(script) {
						continue // the last unlock: nobody sees it fail
					}
					for _, mode := range faultfs.Modes() {
						points++
						cut := f.AfterPowerCut(mode)
						if err := sound(cut, s, r.states[done:done+2]...); err != nil {
							t.Fatalf("%v at operation %d, act %d, %v: %v\nbefore:\n%s\nafter:\n%s", how, n, done, mode, err,
								tail(f), strings.Join(cut.Trace(), "\n"))
						}
						if aside := named(cut, ".damaged-"); s.name != "a damaged snapshot" && len(aside) > 1 {
							t.Fatalf("a crash damaged the snapshot: %q", aside)
						}
					}
				}
			}
			t.Logf("%d operations, %d power cuts", len(r.ops), points)
			row(t, points, 0)
		})
	}
}

// crashAt performs the script up to a crash at its operation n, from 0.
func crashAt(s setting, n int, how faultfs.Fault) (f *faultfs.FS, done int) {
	f = s.disk()
	f.Fail(f.Ops()+n+1, how)
	done, _ = perform(f, s, script)
	return f, done
}

// The same for the repair that follows a crash: it may crash as well, at every
// operation.
func TestACrashDuringRepairLosesNothing(t *testing.T) {
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rehearse(t, s)
			points, crash, take := 0, sample(7), sample(29)
			for n := range r.ops {
				if !crash() {
					continue
				}
				f, done := crashAt(s, n, faultfs.CrashAfter)
				for _, mode := range faultfs.Modes() {
					first := f.AfterPowerCut(mode)
					probe := first.Restart()
					if _, v, _ := look(s.doc(probe)); len(v.Notes) == 0 {
						continue // nothing to repair
					}
					allowed := r.states[done:min(done+2, len(r.states))]
					for m := 1; m <= probe.Ops(); m++ {
						if !take() {
							continue
						}
						second := first.AfterPowerCut(faultfs.KeepAll)
						second.Fail(m, faultfs.CrashAfter)
						_, _, _ = look(s.doc(second))
						for _, again := range faultfs.Modes() {
							points++
							if err := sound(second.AfterPowerCut(again), s, allowed...); err != nil {
								t.Fatalf("crash at operation %d, act %d, %v, then at %d of repair, %v: %v\n%s\nrepair:\n%s",
									n, done, mode, m, again, err, tail(f), tail(second))
							}
						}
					}
				}
			}
			t.Logf("%d operations, %d power cuts during repair", len(r.ops), points)
			row(t, points, 0)
		})
	}
}

// A process that dies takes no observer's row with it, and none is told again
// after it was taken in.
func TestObserversRowsAreToldExactlyOnceAcrossACrash(t *testing.T) {
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rehearse(t, s)
			points, take := 0, sample(7)
			for n := range r.ops {
				for _, how := range crashes {
					if !take() {
						continue
					}
					f, done := crashAt(s, n, how)
					text, v, err := look(s.doc(f.Restart()))
					must(t, err)
					points++
					ok := false
					for i := done; i < min(done+2, len(r.states)); i++ {
						ok = ok || text == r.states[i] && slices.Equal(notes(v.Since), r.waiting[i])
					}
					if !ok {
						t.Fatalf("%v at operation %d, act %d: %s waits for %q, want %q\n%s", how, n, done, text, notes(v.Since), r.waiting[done:min(done+2, len(r.states))], tail(f))
					}
				}
			}
			t.Logf("%d operations, %d crashes", len(r.ops), points)
			row(t, points, 0)
		})
	}
}

// tail is the end of a trace.
func tail(f *faultfs.FS) string {
	trace := f.Trace()
	return strings.Join(trace[max(0, len(trace)-25):], "\n")
}
