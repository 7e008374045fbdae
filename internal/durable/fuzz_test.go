package durable_test

import (
	"bytes"
	"strings"
	"testing"

	"warp/internal/testkit/faultfs"
)

// usable checks what every way of reading promises: an error, or a valid
// document that the next update can build on and the next reader sees.
func usable(t *testing.T, f *faultfs.FS) {
	t.Helper()
	d := docOn(f, roomy)
	v, err := d.Read()
	if err != nil {
		if err.Error() == "" {
			t.Error("an error without words")
		}
		return
	}
	if err := kind.Validate(v.Doc); err != nil {
		t.Fatalf("read an invalid document: %v", err)
	}
	if v.Doc.Version > kind.Version {
		t.Fatalf("read version %d", v.Doc.Version)
	}
	if again := read(t, d); compact(again.Tree) != compact(v.Tree) || len(again.Notes) > 0 {
		t.Fatalf("read again: %s, notes %q; first %s", compact(again.Tree), again.Notes, compact(v.Tree))
	}
	update(t, d, step)
	w := read(t, d)
	if w.Doc.Count != v.Doc.Count+1 {
		t.Fatalf("count %d became %d", v.Doc.Count, w.Doc.Count)
	}
	f.WriteFile(stateAt, []byte("{"))
	r, err := d.Read()
	told := strings.Join(r.Notes, "")
	switch {
	case err == nil && compact(r.Tree) == compact(w.Tree):
	case isDamaged(err), strings.Contains(told, "missing from the journal"), strings.Contains(told, "cannot be used"):
		// A row that was damaged before the snapshot's own cannot be made up
		// for, but it has to be told.
	default:
		t.Fatalf("the journal tells %v (%v, %q), want %s", r.Tree, err, told, compact(w.Tree))
	}
}

// Any bytes as the snapshot, beside a good journal.
func FuzzState(f *testing.F) {
	disk, _, text := lived(f, 3)
	journal := disk.Files()[eventsAt]
	for _, d := range damages {
		f.Add([]byte(d.text))
	}
	for _, s := range []string{text, foreign, strings.Replace(text, `"offset": `, `"offset": 1`, 1), strings.Replace(text, "3", "2", 1),
		`{"journal":{"rev":9223372036854775807,"offset":0},"count":1}`, `{"version":4}`, `{"journal":[]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, snapshot []byte) {
		disk := project()
		disk.WriteFile(stateAt, snapshot)
		disk.WriteFile(eventsAt, journal)
		if _, err := docOn(disk, roomy).Read(); err == nil {
			kept := bytes.Equal(disk.Files()[stateAt], snapshot)
			for _, name := range named(disk, ".damaged-") {
				kept = kept || bytes.Equal(disk.Files()[name], snapshot)
			}
			if !kept {
				t.Fatalf("the bytes are gone: %q", snapshot)
			}
		}
		usable(t, disk)
	})
}

// Any bytes as the journal, beside a good snapshot, a damaged one, and none.
// Lines without a checksum are tried with one as well: else nothing would come
// past it.
func FuzzJournal(f *testing.F) {
	disk, _, text := lived(f, 3)
	journal := string(disk.Files()[eventsAt])
	unsealed := crc(journal)
	for _, s := range []string{"", "\n", journal, journal[:len(journal)-1], journal[:400], unsealed, unsealed + unsealed,
		strings.Replace(unsealed, `"rev":2`, `"rev":3`, 1), strings.Replace(unsealed, `"grow"`, `"set"`, 1),
		strings.Replace(unsealed, `"drive"`, `"other"`, 1),
		`{"at":"x","kind":"document","doc":"drive","rev":4,"full":{"version":9}}`,
		`{"at":"x","kind":"document","doc":"drive","rev":4,"full":[1]}`,
		`{"at":"x","kind":"document","doc":"drive","rev":9223372036854775807,"full":{"count":1},"sum":"x"}`,
		`{"at":"x","kind":"removed","doc":"drive","rev":4}`,
		`{"at":"x","kind":"note","data":null}`} {
		for _, snapshot := range []string{text, "{", ""} {
			f.Add([]byte(s), []byte(snapshot))
		}
	}
	f.Fuzz(func(t *testing.T, journal, snapshot []byte) {
		for _, lines := range []string{string(journal), sealAll(string(journal))} {
			disk := project()
			disk.WriteFile(eventsAt, []byte(lines))
			if len(snapshot) > 0 {
				disk.WriteFile(stateAt, snapshot)
			}
			usable(t, disk)
			disk.WriteFile(eventsAt, []byte(lines))
			d := docOn(disk, roomy)
			if known, _ := d.Known(); known {
				if v, err := d.Rebuild(); err == nil && kind.Validate(v.Doc) != nil {
					t.Fatalf("rebuilt an invalid document: %+v", v.Doc)
				}
			}
		}
	})
}

const crcTail = len(`,"crc":"00000000"}`)

// crc takes the checksums off the lines of a journal.
func crc(journal string) string {
	var b strings.Builder
	for line := range strings.Lines(journal) {
		b.WriteString(line[:len(line)-1-crcTail] + "}\n")
	}
	return b.String()
}

// sealAll gives each line that looks like an object its checksum.
func sealAll(journal string) string {
	var b strings.Builder
	for line := range strings.Lines(journal) {
		if object := strings.TrimSuffix(line, "\n"); strings.HasSuffix(object, "}") {
			line = sealed(object)
		}
		b.WriteString(line)
	}
	return b.String()
}
