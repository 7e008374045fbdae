package durable_test

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/testkit/faultfs"
)

// A disk that says synced and is not cannot be beaten. But the state after the
// power cut must be one that was, whole, and going on from it must work.
func TestALyingSyncNeverMixesStates(t *testing.T) {
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rehearse(t, s)
			points, lost, told, take := 0, 0, 0, sample(11)
			for n, op := range r.ops {
				if !strings.HasPrefix(op, "sync") || !take() {
					continue
				}
				f := s.disk()
				f.Fail(f.Ops()+n+1, faultfs.LyingSync)
				for i := range script {
					_, err := perform(f, s, script[i:i+1])
					must(t, err)
					if f.Hits() == 0 {
						continue
					}
					for _, mode := range faultfs.Modes() {
						points++
						cut := f.AfterPowerCut(mode)
						text, v, err := look(s.doc(cut.Restart()))
						if err != nil || !slices.Contains(r.states[:i+2], text) {
							t.Fatalf("%v, sync %d lied, power cut after act %d: found %s\n%s\n%s", mode, n, i, text,
								strings.Join(r.states, "\n"), tail(f))
						}
						if text != r.states[i+1] {
							lost++
							// Of a file's content there is always a second copy.
							if strings.HasPrefix(op, "sync ") {
								t.Fatalf("%v, %s lied, power cut after act %d: went back to %s\n%s", mode, op, i, text, tail(f))
							}
						}
						if len(v.Notes) > 0 {
							told++
						}
						if err := soundAfterALie(cut, s, mode, text); err != nil {
							t.Fatalf("%v, sync %d lied, power cut after act %d: %v\n%s\nafter:\n%s", mode, n, i, err, tail(f), strings.Join(cut.Trace(), "\n"))
						}
					}
				}
			}
			t.Logf("%d operations, %d power cuts, %d went back to an earlier state, %d were repaired with a note", len(r.ops), points, lost, told)
			row(t, points, lost)
		})
	}
}

// soundAfterALie checks that the next update builds on the state that was
// read. It is durable as well, except where nothing but the process died: then
// the lie is still in the disk's cache.
func soundAfterALie(f *faultfs.FS, s setting, mode faultfs.Mode, was string) error {
	switch {
	case mode != faultfs.KeepAll && s.segment == roomy:
		return sound(f, s, was)
	case mode != faultfs.KeepAll:
		// With the snapshot's row in a segment that was lost, nobody can
		// tell which of the observers' rows had been taken in.
		return going(f, s, was)
	}
	d := s.doc(f)
	if _, err := d.Update(step); err != nil {
		return err
	}
	_, _, err := look(d)
	return err
}
