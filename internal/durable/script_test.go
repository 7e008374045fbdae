package durable_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// act is one command of the script that the sweeps break.
type act func(*durable.Store, *durable.Doc[state]) error

func change(fn func(*durable.Tx[state]) error) act {
	return func(_ *durable.Store, d *durable.Doc[state]) error {
		_, err := d.Update(fn)
		return err
	}
}

func note(names ...any) act {
	return func(s *durable.Store, _ *durable.Doc[state]) error { return s.Append("note", names...) }
}

func remove(_ *durable.Store, d *durable.Doc[state]) error {
	_, err := d.Remove()
	return err
}

func trim(tx *durable.Tx[state]) error {
	tx.Doc.Items = tx.Doc.Items[2:]
	tx.Doc.Phase = "busy"
	return step(tx)
}

func replaceWhole(tx *durable.Tx[state]) error {
	tx.Doc = &state{Version: 3, Phase: "busy", Count: 50}
	return step(tx)
}

// script is a life of the document: the first write that makes the folders,
// growth, observers, a trimmed array, a removal and a second life.
var script = []act{
	change(step),
	note("a", "b"),
	change(step),
	change(step),
	note("c"),
	change(trim),
	note("d"),
	change(replaceWhole),
	change(step),
	remove,
	note("e"),
	change(step),
	note("f"),
	change(step),
}

// rotating is a segment size at which the script rotates several times, roomy
// one at which it never does.
const (
	rotating = 700
	roomy    = 1 << 20
)

// setting is a disk that the script begins on.
type setting struct {
	name    string
	segment int64
	disk    func() *faultfs.FS
	signer  durable.Signer // nil: without a key
}

func (s setting) store(f durable.FS) *durable.Store { return signedStore(f, s.segment, s.signer) }

func (s setting) doc(f durable.FS) *durable.Doc[state] { return s.open(s.store(f)) }

// open names the document. With a key an engine is at it while it is busy.
func (s setting) open(store *durable.Store) *durable.Doc[state] {
	if s.signer != nil {
		return durable.Open(store, "drive.json", engineKind)
	}
	return durable.Open(store, "drive.json", kind)
}

var settings = []setting{
	{"one segment", roomy, project, nil},
	{"many segments", rotating, project, nil},
	{"a rotation with every write", 1, project, nil},
	{"signed, one segment", roomy, project, own},
	{"signed, many segments", rotating, project, own},
	{"a snapshot of another tool", rotating, func() *faultfs.FS {
		f := project()
		f.WriteFile(stateAt, []byte(`{"version":2,"phase":"idle","count":7,"extra":1.50,"items":[{"id":1,"x":1e3},{"id":2}]}`))
		return f
	}, nil},
	{"a snapshot edited by hand", roomy, func() *faultfs.FS {
		f := project()
		d := docOn(f, roomy)
		for range 3 {
			if _, err := d.Update(step); err != nil {
				panic(err)
			}
		}
		f.WriteFile(stateAt, []byte(strings.Replace(string(f.Files()[stateAt]), `"idle"`, `"busy"`, 1)))
		return f
	}, nil},
	{"a damaged snapshot", rotating, func() *faultfs.FS {
		f := project()
		d := docOn(f, roomy)
		for range 3 {
			if _, err := d.Update(step); err != nil {
				panic(err)
			}
		}
		f.WriteFile(stateAt, f.Files()[stateAt][:50])
		return f
	}, nil},
}

// perform carries out the script from one act on until one fails; it returns
// how many were acknowledged.
func perform(f *faultfs.FS, s setting, acts []act) (done int, err error) {
	for _, a := range acts {
		store := s.store(f)
		if err := a(store, s.open(store)); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// rehearsal is the script without faults: the document's text and the
// observers' rows that wait for it, before the first act and after each.
type rehearsal struct {
	states  []string
	waiting [][]string
	ops     []string
}

func rehearse(t *testing.T, s setting) (r rehearsal) {
	t.Helper()
	f := s.disk()
	before := f.Ops()
	for i := 0; ; i++ {
		text, v, err := look(s.doc(f.Restart()))
		must(t, err)
		r.states = append(r.states, text)
		r.waiting = append(r.waiting, notes(v.Since))
		if i == len(script) {
			break
		}
		if _, err := perform(f, s, script[i:i+1]); err != nil {
			t.Fatalf("act %d: %v", i, err)
		}
	}
	r.ops = f.Trace()[before:]
	return r
}

// sound checks that a disk holds one of the states, that no observer's row is
// told twice, that the next update works without any manual step and is
// durable, and that nothing is left lying about.
func sound(f *faultfs.FS, s setting, allowed ...string) error {
	if v, err := s.doc(f.Restart()).Read(); err == nil {
		if err := toldOnce(v); err != nil {
			return err
		}
	}
	return going(f, s, allowed...)
}

// going is sound without an eye on the observers.
func going(f *faultfs.FS, s setting, allowed ...string) error {
	if temps := named(f, ".tmp"); len(temps) > 1 {
		return fmt.Errorf("temporary files: %q", temps)
	}
	d := s.doc(f)
	text, _, err := look(d)
	if err != nil {
		return fmt.Errorf("reading: %w", err)
	}
	if !slices.Contains(allowed, text) {
		return fmt.Errorf("found  %s\nwant one of\n       %s", text, strings.Join(allowed, "\n       "))
	}
	if _, err := d.Update(step); err != nil {
		return fmt.Errorf("the next update: %w", err)
	}
	if temps := named(f, ".tmp"); len(temps) > 0 {
		return fmt.Errorf("temporary files after the next update: %q", temps)
	}
	return lasting(f, s)
}

// lasting checks that what an update has just acknowledged survives a power
// cut, and that the journal alone tells the same.
func lasting(f *faultfs.FS, s setting) error {
	want, v, err := look(s.doc(f.Restart()))
	if err != nil || v.Doc == nil {
		return fmt.Errorf("after the next update: %s", want)
	}
	for _, mode := range some(faultfs.Modes()) {
		if got, _, _ := look(s.doc(f.AfterPowerCut(mode))); got != want {
			return fmt.Errorf("the next update is lost in %v: found\n%s\nwant\n%s", mode, got, want)
		}
	}
	cut := f.AfterPowerCut(faultfs.DropAll)
	cut.WriteFile(stateAt, []byte("{"))
	if got, _, _ := look(s.doc(cut)); got != want {
		return fmt.Errorf("the journal tells\n%s\nwant\n%s", got, want)
	}
	return nil
}

// toldOnce checks that no observer's row is told again once it was taken in.
func toldOnce(v durable.View[state]) error {
	seen := map[string]bool{}
	if v.Doc != nil {
		for _, n := range append(notes(v.Since), v.Doc.Seen...) {
			if seen[n] {
				return fmt.Errorf("the row %q is told twice", n)
			}
			seen[n] = true
		}
	}
	return nil
}
