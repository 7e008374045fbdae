package durable_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// lived is a project whose document was written a few times, with the text of
// its snapshot.
func lived(t testing.TB, times int) (*faultfs.FS, *durable.Doc[state], string) {
	t.Helper()
	f := project()
	d := docOn(f, roomy)
	for range times {
		update(t, d, step)
	}
	return f, d, string(f.Files()[stateAt])
}

var damages = []struct{ name, text, why string }{
	{"empty", "", "unexpected end"},
	{"truncated", `{"version": 3, "phase": "id`, "unexpected end"},
	{"zero bytes", strings.Repeat("\x00", 64), "cannot begin a value"},
	{"duplicate keys", `{"version": 3, "phase": "idle", "phase": "busy"}`, `"phase" twice`},
	{"trailing garbage", `{"version": 3} {}`, "something follows"},
	{"invalid UTF-8", "{\"version\": 3, \"phase\": \"\xff\"}", "UTF-8"},
	{"a byte order mark", "\ufeff{}", "byte order mark"},
	{"an array", `[1]`, "must be an object, not an array"},
	{"null", `null`, "must be an object, not null"},
	{"a wrong type", `{"version": 3, "count": "many"}`, "count must be a whole number"},
	{"a wrong type deep down", `{"items": [{"id": 1}, {"id": {}}]}`, "items[1].id must be a whole number"},
	{"a version that is no number", `{"version": "4"}`, "version must be a whole number"},
	{"an unknown phase", `{"version": 3, "phase": "dancing"}`, `unknown phase "dancing"`},
	{"nested too deep", strings.Repeat("[", 600), "levels deep"},
}

func TestADamagedSnapshotIsSetAsideAndRebuilt(t *testing.T) {
	for _, test := range damages {
		t.Run(test.name, func(t *testing.T) {
			f, d, good := lived(t, 3)
			for i := range 2 { // in the same moment: the second must not replace the first
				f.WriteFile(stateAt, []byte(test.text))
				v := read(t, d)
				if string(f.Files()[stateAt]) != good || v.Doc.Count != 3 || v.Rev != 3 {
					t.Fatalf("rebuilt as %s", f.Files()[stateAt])
				}
				aside := named(f, "drive.json.damaged-20260102T030405.678Z")
				if len(aside) != i+1 || string(f.Files()[aside[i]]) != test.text {
					t.Fatalf("set aside: %q", aside)
				}
				all := strings.Join(v.Notes, "\n")
				for _, word := range []string{test.why, filepath.Base(aside[i]), "revision 3"} {
					if !strings.Contains(all, word) {
						t.Errorf("the notes %q do not mention %q", all, word)
					}
				}
				if v := read(t, d); len(v.Notes) > 0 {
					t.Errorf("told again: %q", v.Notes)
				}
			}
			update(t, d, step)
		})
	}
}

func TestADamagedSnapshotThatNothingKnowsIsLeftAlone(t *testing.T) {
	for _, test := range damages {
		t.Run(test.name, func(t *testing.T) {
			f := project()
			f.WriteFile(stateAt, []byte(test.text))
			d := docOn(f, roomy)
			_, readErr := d.Read()
			_, updateErr := d.Update(func(*durable.Tx[state]) error { t.Error("fn was run"); return nil })
			for _, err := range []error{readErr, updateErr} {
				mentions(t, err, "drive.json", test.why, "nothing to rebuild it from")
				if !isDamaged(err) {
					t.Errorf("%T", err)
				}
			}
			if string(f.Files()[stateAt]) != test.text || len(named(f, ".damaged-")) > 0 {
				t.Error("something was touched")
			}
			notes, err := d.Remove()
			must(t, err)
			aside := named(f, ".damaged-")
			if len(aside) != 1 || string(f.Files()[aside[0]]) != test.text || !strings.Contains(strings.Join(notes, ""), filepath.Base(aside[0])) {
				t.Errorf("removed to %q, %q", aside, notes)
			}
			if after := f.AfterPowerCut(faultfs.DropAll); len(named(after, ".damaged-")) != 1 {
				t.Error("the removal did not last")
			}
			update(t, d, step)
		})
	}
}

func TestATooNewDocumentIsLeftAlone(t *testing.T) {
	f, d, _ := lived(t, 2)
	const text = `{"version": 4, "phase": "quantum"}`
	f.WriteFile(stateAt, []byte(text))
	_, readErr := d.Read()
	_, updateErr := d.Update(step)
	_, removeErr := d.Remove()
	for _, err := range []error{readErr, updateErr, removeErr} {
		var tooNew *durable.TooNewError
		if !errors.As(err, &tooNew) || tooNew.Version != 4 || tooNew.Known != 3 {
			t.Fatalf("got %v", err)
		}
		mentions(t, err, "drive.json", "version 4", "up to 3", "upgrade")
	}
	if string(f.Files()[stateAt]) != text || len(named(f, ".damaged-")) > 0 {
		t.Error("the file was touched")
	}
}

// The journal of a newer program is of no use to an older one: then nothing
// may be set aside.
func TestADamagedSnapshotOfANewerProgramIsLeftAlone(t *testing.T) {
	f := project()
	newer := kind
	newer.Version = 4
	_, err := durable.Open(storeOn(f, roomy), "drive.json", newer).Update(func(tx *durable.Tx[state]) error {
		tx.Doc = &state{Version: 4}
		return nil
	})
	must(t, err)
	f.WriteFile(stateAt, []byte("{"))
	_, err = docOn(f, roomy).Read()
	var tooNew *durable.TooNewError
	if !errors.As(err, &tooNew) || string(f.Files()[stateAt]) != "{" || len(named(f, ".damaged-")) > 0 {
		t.Errorf("got %v, files %q", err, named(f, "drive"))
	}
}

func TestSomethingElseInTheFilesPlaceIsAClearError(t *testing.T) {
	for _, test := range []struct {
		name, what string
		put        func(f *faultfs.FS)
	}{
		{"a folder", "a folder, not a file", func(f *faultfs.FS) { f.WriteFile(stateAt+"/x", nil) }},
		{"a link", "a symbolic link, not a file", func(f *faultfs.FS) { f.Symlink("/p/readme", stateAt) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, d, _ := lived(t, 2)
			must(t, f.Remove(stateAt))
			test.put(f)
			_, readErr := d.Read()
			_, updateErr := d.Update(step)
			for _, err := range []error{readErr, updateErr} {
				mentions(t, err, "drive.json", test.what, "move it away")
				if !isDamaged(err) {
					t.Errorf("%T", err)
				}
			}
			if string(f.Files()["/p/readme"]) != "a project\n" {
				t.Error("the link was followed")
			}
			_, err := d.Remove()
			must(t, err)
			update(t, d, step)
		})
	}
}

func TestALinkInTheStoresPlaceIsRefused(t *testing.T) {
	f := project()
	f.Symlink("/elsewhere", home)
	f.WriteFile("/elsewhere/x", nil)
	_, err := docOn(f, roomy).Update(step)
	mentions(t, err, ".claude", "a symbolic link, not a folder")
	mentions(t, storeOn(f, roomy).Append("note", "x"), "a symbolic link, not a folder")
	if len(named(f, "/elsewhere")) != 1 {
		t.Error("the link was followed")
	}
}

func TestAnOversizedFileIsSetAsideUnread(t *testing.T) {
	dir := t.TempDir()
	d := durable.Open(durable.New(durable.Config{Dir: dir, Now: clock}), "drive.json", kind)
	update(t, d, step)
	must(t, os.Truncate(d.Path(), durable.MaxSize+1))
	v := read(t, d)
	if v.Doc.Count != 1 || len(v.Notes) != 1 || !strings.Contains(v.Notes[0], "16777217 bytes") {
		t.Errorf("found %+v, %q", v.Doc, v.Notes)
	}
	aside, err := filepath.Glob(d.Path() + ".damaged-*")
	must(t, err)
	if info, err := os.Stat(aside[0]); len(aside) != 1 || err != nil || info.Size() != durable.MaxSize+1 {
		t.Errorf("set aside: %q", aside)
	}
}

func TestAGlanceAtADocument(t *testing.T) {
	d := durable.Open(durable.New(durable.Config{Dir: t.TempDir(), Now: clock}), "drive.json", kind)
	if _, ok := d.Glance(); ok {
		t.Error("there is none")
	}
	update(t, d, step)
	g, ok := d.Glance()
	if doc, err := g.Doc(); !ok || err != nil || doc.Count != 1 {
		t.Errorf("%+v, %v, %v", doc, ok, err)
	}
	must(t, os.WriteFile(d.Path(), []byte("{"), 0o600))
	if g, ok := d.Glance(); ok {
		if _, err := g.Doc(); err == nil {
			t.Error("half a file was read")
		}
	}
}
