package durable_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// broken are disks on which something has to be repaired first.
var broken = []struct {
	name string
	disk func(t *testing.T) *faultfs.FS
	want string // the count after repair, or missing
}{
	{"behind its journal", func(t *testing.T) *faultfs.FS {
		f, _, text := lived(t, 2)
		update(t, docOn(f, roomy), step)
		f.WriteFile(stateAt, []byte(text))
		return f
	}, `"count":3`},
	{"behind its journal by a rotation", func(t *testing.T) *faultfs.FS {
		f, _, text := lived(t, 2)
		update(t, docOn(f, 1), step)
		f.WriteFile(stateAt, []byte(text))
		return f
	}, `"count":3`},
	{"behind its removal", func(t *testing.T) *faultfs.FS {
		f, d, text := lived(t, 2)
		_, err := d.Remove()
		must(t, err)
		f.WriteFile(stateAt, []byte(text))
		return f
	}, missing},
	{"set aside, its successor not in place", func(t *testing.T) *faultfs.FS {
		f, _, text := lived(t, 2)
		must(t, f.Rename(stateAt, stateAt+".damaged-x"))
		f.WriteFile(stateAt+".tmp", []byte(text))
		return f
	}, `"count":2`},
	{"removed, with a temporary file left", func(t *testing.T) *faultfs.FS {
		f, d, text := lived(t, 2)
		_, err := d.Remove()
		must(t, err)
		f.WriteFile(stateAt+".tmp", []byte(text))
		return f
	}, missing},
	{"never written, with a temporary file left", func(t *testing.T) *faultfs.FS {
		f := project()
		f.WriteFile(stateAt+".tmp", []byte("half"))
		return f
	}, missing},
	{"damaged", func(t *testing.T) *faultfs.FS {
		f, _, _ := lived(t, 2)
		f.WriteFile(stateAt, []byte("{"))
		return f
	}, `"count":2`},
	{"damaged, the journal in an old segment", func(t *testing.T) *faultfs.FS {
		f, _, _ := lived(t, 2)
		must(t, f.Rename(eventsAt, home+"/state/events-20250101T000000.000-000.jsonl"))
		f.WriteFile(stateAt, []byte("{"))
		return f
	}, `"count":2`},
}

// Repair may fail at every operation, in every way. It is tried again by the
// next command, and nothing is lost meanwhile.
func TestRepairThatFailsIsTriedAgain(t *testing.T) {
	faults := append([]faultfs.Fault{faultfs.ShortWrite, faultfs.Errno(syscall.ENOSPC), faultfs.Errno(syscall.EIO), faultfs.Errno(syscall.EACCES)}, crashes...)
	points, take := 0, sample(7)
	for _, test := range broken {
		t.Run(test.name, func(t *testing.T) {
			whole := test.disk(t).Restart()
			if got, v, err := look(docOn(whole, roomy)); err != nil || !strings.Contains(got, test.want) || test.want != missing && len(v.Notes) == 0 {
				t.Fatalf("found %s, notes %q", got, v.Notes)
			}
			for n := 1; n <= whole.Ops(); n++ {
				for _, how := range faults {
					if !take() {
						continue
					}
					f := test.disk(t).Restart()
					f.Fail(n, how)
					got, _, err := look(docOn(f, roomy))
					if err == nil && !strings.Contains(got, test.want) {
						t.Fatalf("%v at %d: found %s", how, n, got)
					}
					for _, mode := range faultfs.Modes() {
						points++
						cut := f.AfterPowerCut(mode)
						if got, _, _ := look(docOn(cut, roomy)); !strings.Contains(got, test.want) {
							t.Fatalf("%v at %d ended with %v, %v: found %s\n%s", how, n, err, mode, got, tail(f))
						}
						update(t, docOn(cut, roomy), step)
					}
				}
			}
		})
	}
	t.Logf("%d points", points)
}

// A process that died left its row in the cache, the next one repairs the
// snapshot by it: then the row has to be on the disk before the snapshot is.
func TestRepairSyncsTheRowThatItReliesOn(t *testing.T) {
	for n := 1; ; n++ {
		f := project()
		update(t, docOn(f, 1), step)
		must(t, storeOn(f, 1).Append("note", "x"))
		f.WriteFile(eventsAt, f.Files()[eventsAt]) // by now it is on the disk
		f.Fail(f.Ops()+n, faultfs.CrashAfter)
		if _, err := docOn(f, 1).Update(step); err == nil {
			break
		}
		next := f.Restart()
		repaired := read(t, docOn(next, 1))
		for _, mode := range faultfs.Modes() {
			v := read(t, docOn(next.AfterPowerCut(mode), 1))
			if err := toldOnce(v); err != nil || v.Doc.Count < repaired.Doc.Count && len(repaired.Notes) > 0 {
				t.Fatalf("crash at %d, %v: count %d after %d, %v\n%s", n, mode, v.Doc.Count, repaired.Doc.Count, err, tail(f))
			}
		}
	}
}

// Whatever is asked of a broken disk while an operation fails: an error means
// that the document is still there.
func TestRebuildAndRemoveThatFailLoseNothing(t *testing.T) {
	rebuild := func(d *durable.Doc[state]) error { _, err := d.Rebuild(); return err }
	remove := func(d *durable.Doc[state]) error { _, err := d.Remove(); return err }
	for name, do := range map[string]func(*durable.Doc[state]) error{"rebuild": rebuild, "remove": remove} {
		for _, test := range broken {
			if test.want == missing {
				continue
			}
			whole := test.disk(t).Restart()
			must(t, do(docOn(whole, roomy)))
			for n := 1; n <= whole.Ops(); n++ {
				f := test.disk(t).Restart()
				f.Fail(n, faultfs.Errno(syscall.EIO))
				err := do(docOn(f, roomy))
				got, _, _ := look(docOn(f.Restart(), roomy))
				there := strings.Contains(got, test.want)
				if want := name == "rebuild" || err != nil && !said(err); there != want {
					t.Fatalf("%s of a state that is %s, operation %d: %v, then found %s\n%s", name, test.name, n, err, got, tail(f))
				}
			}
		}
	}
}

// Removing what nobody can use sets it aside, or says why not.
func TestRemovingAUselessStateThatFails(t *testing.T) {
	begin := func() *faultfs.FS {
		f := project()
		f.WriteFile(stateAt, []byte("useless"))
		return f
	}
	whole := begin()
	_, err := docOn(whole, roomy).Remove()
	must(t, err)
	for n := 1; n <= whole.Ops(); n++ {
		f := begin()
		f.Fail(n, faultfs.Errno(syscall.EIO))
		notes, err := docOn(f, roomy).Remove()
		files := append(named(f, ".damaged-"), named(f, "drive.json")...)
		if len(files) == 0 || string(f.Files()[files[0]]) != "useless" {
			t.Fatalf("operation %d: %v left %q", n, err, files)
		}
		if err == nil && (len(named(f, ".damaged-")) != 1 || len(notes) == 0) {
			t.Errorf("operation %d: notes %q, files %q", n, notes, files)
		}
	}
}

// The whole script on the real file system gives what it gives in memory.
func TestTheScriptOnTheRealFileSystem(t *testing.T) {
	for _, segment := range []int64{rotating, roomy} {
		r := rehearse(t, setting{"", segment, project, nil})
		s := durable.New(durable.Config{Dir: t.TempDir() + "/.claude", Now: clock, PID: 42, SegmentSize: segment})
		d := durable.Open(s, "drive.json", kind)
		for i, act := range script {
			must(t, act(s, d))
			if _, err := os.Lstat(d.Path()); os.IsNotExist(err) != (r.states[i+1] == missing) {
				t.Errorf("act %d: %v", i, err)
			}
			if got, v, err := look(d); err != nil || got != r.states[i+1] || len(v.Notes) > 0 {
				t.Errorf("act %d: found %s, want %s", i, got, r.states[i+1])
			}
		}
	}
	if (durable.OS{}).SyncDir(t.TempDir()+"/absent") == nil {
		t.Error("synced a folder that is not there")
	}
}
