package durable_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/event"
	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// rows lists what the journal tells, and how many lines it could not use.
func rows(t testing.TB, s *durable.Store) (all []event.Row, damaged int) {
	t.Helper()
	damaged, err := s.Events(func(r event.Row) bool { all = append(all, r); return true })
	must(t, err)
	return all, damaged
}

// A crash can leave the last line torn anywhere: the next row is not glued to
// it, the document is the one before or after, and nothing is lost.
func TestATornLastLineIsToleratedAndRepaired(t *testing.T) {
	f, _, _ := lived(t, 2)
	old := f.Files()
	d := docOn(f, roomy)
	update(t, d, step)
	whole := f.Files()[eventsAt]
	before := len(old[eventsAt])
	for cut := before; cut <= len(whole); cut++ {
		torn := project()
		torn.WriteFile(stateAt, old[stateAt])
		torn.WriteFile(eventsAt, whole[:cut])
		d := docOn(torn, roomy)
		want := 2
		if cut >= len(whole)-1 { // only the newline is missing: the row is whole
			want = 3
		}
		if v := read(t, d); v.Doc.Count != want {
			t.Fatalf("cut at %d: count %d, want %d", cut-before, v.Doc.Count, want)
		}
		must(t, storeOn(torn, roomy).Append("note", "x"))
		update(t, d, step)
		good := torn.Files()[stateAt]
		torn.WriteFile(stateAt, nil)
		if v := read(t, d); v.Doc.Count != want+1 || string(torn.Files()[stateAt]) != string(good) {
			t.Fatalf("cut at %d: rebuilt with count %d, want %d", cut-before, v.Doc.Count, want+1)
		}
		_, damaged := rows(t, storeOn(torn, roomy))
		if isTorn := cut > before && want == 2; (damaged == 1) != isTorn {
			t.Fatalf("cut at %d: %d damaged lines", cut-before, damaged)
		}
	}
}

func TestLinesThatAreNoRowsArePassedOver(t *testing.T) {
	line := func(kind string) string { return string(event.Row{At: "x", Kind: kind}.Line()) }
	for _, test := range []struct {
		name, junk string
		damaged    int
	}{
		{"blank lines", "\n\n\n", 0},
		{"garbage", "what is this\n", 1},
		{"binary garbage", "\x00\xff\xfe\n", 1},
		{"glued rows", strings.TrimSuffix(line("a"), "\n") + line("b"), 1},
		{"a row with a flipped bit", strings.Replace(line("a"), `"a"`, `"c"`, 1), 1},
		{"half a row", line("a")[:20] + "\n", 1},
		{"carriage returns", strings.TrimSuffix(line("a"), "\n") + "\r\n", 1},
		{"a row that is no object", "[1,2,3]\n", 1},
		{"a sealed row of a wrong type", sealed(`{"at":"x","kind":7}`), 1},
		{"a sealed row with duplicate keys", sealed(`{"at":"x","at":"y","kind":"a"}`), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, d, _ := lived(t, 2)
			f.WriteFile(eventsAt, append(f.Files()[eventsAt], test.junk...))
			must(t, storeOn(f, roomy).Append("note", "x"))
			if v := read(t, d); v.Doc.Count != 2 || !cmp.Equal(notes(v.Since), []string{"x"}) || len(v.Notes) > 0 {
				t.Errorf("found %+v, since %q, notes %q", v.Doc, notes(v.Since), v.Notes)
			}
			update(t, d, step)
			good := f.Files()[stateAt]
			if _, damaged := rows(t, storeOn(f, roomy)); damaged != test.damaged {
				t.Errorf("%d damaged lines, want %d", damaged, test.damaged)
			}
			f.WriteFile(stateAt, nil)
			read(t, d)
			if diff := cmp.Diff(string(good), string(f.Files()[stateAt])); diff != "" {
				t.Errorf("rebuilt (-want +got):\n%s", diff)
			}
		})
	}
}

// sealed makes a line that carries the checksum of whatever it says.
func sealed(object string) string {
	body := strings.TrimSuffix(object, "}")
	return body + `,"crc":"` + event.Sum([]byte(body)) + "\"}\n"
}

// A line that is larger than any row is passed over without being held in
// memory, and what follows it counts.
func TestAHugeLineIsPassedOver(t *testing.T) {
	dir := t.TempDir()
	s := durable.New(durable.Config{Dir: dir, Now: clock})
	d := durable.Open(s, "drive.json", kind)
	update(t, d, step)
	path := filepath.Join(dir, "state", "events.jsonl")
	must(t, os.Truncate(path, 3*durable.MaxSize))
	update(t, d, step)
	if all, damaged := rows(t, s); len(all) != 2 || damaged != 1 {
		t.Errorf("%d rows, %d damaged", len(all), damaged)
	}
	must(t, os.WriteFile(d.Path(), nil, 0o600))
	if v := read(t, d); v.Doc.Count != 2 {
		t.Errorf("rebuilt with count %d", v.Doc.Count)
	}
}

// A row in the middle is gone: the journal says so instead of guessing, and
// the next update closes the gap.
func TestAGapInTheJournalIsTold(t *testing.T) {
	f, d, _ := lived(t, 4)
	lines := bytes.SplitAfter(f.Files()[eventsAt], []byte("\n"))
	lines[2][30] ^= 1
	f.WriteFile(eventsAt, bytes.Join(lines, nil))
	must(t, storeOn(f, roomy).Append("note", "x"))
	f.WriteFile(stateAt, []byte("{"))
	v := read(t, d)
	if v.Doc.Count != 2 || !cmp.Equal(notes(v.Since), []string{"x"}) || !strings.Contains(strings.Join(v.Notes, ""), "rows after revision 2 are missing") {
		t.Fatalf("count %d, since %q, notes %q", v.Doc.Count, notes(v.Since), v.Notes)
	}
	update(t, d, step)
	good := f.Files()[stateAt]
	f.WriteFile(stateAt, []byte("{"))
	if v := read(t, d); v.Rev != 5 || string(f.Files()[stateAt]) != string(good) || strings.Contains(v.Notes[0], "missing") {
		t.Errorf("revision %d, notes %q", v.Rev, v.Notes)
	}
}

// A row whose change does not give what its checksum says is not used, however
// whole the line is.
func TestARowThatDoesNotFitIsNotUsed(t *testing.T) {
	for name, patch := range map[string]string{
		"another content": `{"set":{"count":99}}`,
		"no such array":   `{"grow":{"nothing":{"drop":0,"rows":[]}}}`,
		"too many":        `{"grow":{"items":{"drop":99,"rows":[]}}}`,
		"no such member":  `{"order":["nothing"]}`,
		"no change":       `7`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, snapshot := range []string{"good", "damaged"} {
				f, d, _ := lived(t, 2)
				f.WriteFile(eventsAt, append(f.Files()[eventsAt],
					sealed(`{"at":"x","kind":"document","doc":"drive","rev":3,"patch":`+patch+`,"sum":"00000000"}`)...))
				if snapshot == "damaged" {
					f.WriteFile(stateAt, nil)
				}
				v := read(t, d)
				if v.Doc.Count != 2 || !strings.Contains(strings.Join(v.Notes, ""), "revision 3 cannot be used") {
					t.Errorf("%s: count %d, notes %q", snapshot, v.Doc.Count, v.Notes)
				}
				if v := read(t, d); len(v.Notes) > 0 {
					t.Errorf("%s: told again: %q", snapshot, v.Notes)
				}
				update(t, d, step)
				if err := lasting(f, setting{segment: roomy}); err != nil {
					t.Error(snapshot, err)
				}
			}
		})
	}
}

func TestEventsCanBeStopped(t *testing.T) {
	f, _, _ := lived(t, 3)
	n := 0
	damaged, err := storeOn(f, roomy).Events(func(event.Row) bool { n++; return n < 2 })
	if n != 2 || damaged != 0 || err != nil {
		t.Errorf("saw %d, %d, %v", n, damaged, err)
	}
	if all, _ := rows(t, storeOn(faultfs.New(), roomy)); len(all) > 0 {
		t.Errorf("an absent journal told %v", all)
	}
}

func TestALogEntryIsInTheJournal(t *testing.T) {
	f, _, _ := lived(t, 1)
	all, _ := rows(t, storeOn(f, roomy))
	r := all[0]
	if r.Kind != event.Document || r.Name != "step" || compact(r.Data) != `{"count":1}` || r.PID != 42 || r.At != "2026-01-02T03:04:05.678Z" {
		t.Errorf("found %+v", r)
	}
}
