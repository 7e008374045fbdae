package durable_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/event"
	"warp/internal/durable"
)

// key signs as a real one does.
type key string

func (k key) Sign(purpose string, text []byte) string {
	h := hmac.New(sha256.New, []byte(k))
	fmt.Fprintf(h, "%s\n", purpose)
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)[:event.MacLength/2])
}

// Mark is where the journal's end is marked, out of the project.
func (k key) Mark(dir string) string { return "/user" + dir }

const own = key("the key of these tests")

func signedStore(f durable.FS, segment int64, k durable.Signer) *durable.Store {
	return durable.New(durable.Config{Dir: home, FS: f, Now: clock, PID: 42, SegmentSize: segment, Signer: k})
}

// engineKind is a document that an engine is at while it is busy.
var engineKind = durable.Kind[state]{Name: "drive", Version: 3, Validate: kind.Validate, Alone: func(s *state) bool { return s.Phase == "busy" }}

func signedDoc(f durable.FS, k durable.Signer) *durable.Doc[state] {
	return durable.Open(signedStore(f, roomy, k), "drive.json", engineKind)
}

// busy is a step of an engine, idle one that ends its work.
func busy(tx *durable.Tx[state]) error { return phased(tx, "busy") }
func idle(tx *durable.Tx[state]) error { return phased(tx, "idle") }

func phased(tx *durable.Tx[state], phase string) error {
	err := step(tx)
	tx.Doc.Phase = phase
	return err
}

// standings are those of the rows of a kind, or of all, as a reader with the key
// finds them.
func standings(t *testing.T, f durable.FS, kind string) (list []event.Standing) {
	t.Helper()
	_, err := signedStore(f, roomy, own).Events(func(r event.Row) bool {
		if kind == "" || r.Kind == kind {
			list = append(list, r.Standing)
		}
		return true
	})
	must(t, err)
	return list
}

const (
	good      = event.Signed
	plain     = event.Unsigned
	forged    = event.Forged
	misplaced = event.Misplaced
)

// Whatever is done to signed rows in place is noticed, and each row that is still
// as it was counts.
func TestTheChainOfSignedRows(t *testing.T) {
	line := func(s string) string { return s + "\n" }
	for _, test := range []struct {
		name   string
		meddle func(rows []string) []string
		want   []event.Standing
	}{
		{"untouched", func(r []string) []string { return r }, []event.Standing{good, plain, good, good, good}},
		{"a row removed", func(r []string) []string { return append(r[:2:2], r[3:]...) }, []event.Standing{good, plain, misplaced, good}},
		{"the first row removed", func(r []string) []string { return r[1:] }, []event.Standing{plain, misplaced, good, good}},
		{"an observer's row removed", func(r []string) []string { return append(r[:1:1], r[2:]...) }, []event.Standing{good, good, good, good}},
		{"rows swapped", func(r []string) []string { return []string{r[0], r[1], r[3], r[2], r[4]} }, []event.Standing{good, plain, misplaced, misplaced, misplaced}},
		{"a row said again", func(r []string) []string { return append(r, r[2]) }, []event.Standing{good, plain, good, good, good, misplaced}},
		{"a row rewritten, its checksum with it", func(r []string) []string {
			body, mac, _ := event.Signature(r[3])
			body = strings.Replace(body, "3", "7", 1)
			row := body + `,"mac":"` + mac + `"`
			r[3] = row + `,"crc":"` + event.Sum([]byte(row)) + `"}`
			return r
		}, []event.Standing{good, plain, good, forged, misplaced}},
		{"a row erased in place", func(r []string) []string {
			r[3] = strings.Repeat(" ", len(r[3]))
			return r
		}, []event.Standing{good, plain, good, misplaced}},
		{"a row made up with another key", func(r []string) []string {
			last, _ := new(event.Reader).Parse(r[4])
			made, _ := event.Row{At: "x", Kind: "verdict", After: last.Mac}.SignedLine(func(b []byte) string { return key("a guess").Sign("row", b) })
			return append(r, strings.TrimSuffix(string(made), "\n"))
		}, []event.Standing{good, plain, good, good, good, forged}},
		{"a row whose signature stands elsewhere", func(r []string) []string {
			made := `{"mac":"` + strings.Repeat("0", 32) + `","at":"x","kind":"verdict"`
			return append(r, made+`,"crc":"`+event.Sum([]byte(made))+`"}`)
		}, []event.Standing{good, plain, good, good, good, plain}},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := project()
			must(t, signedStore(f, roomy, own).Append("note", 1))
			must(t, storeOn(f, roomy).Append("note", 2)) // a hook
			must(t, signedStore(f, roomy, own).AppendSynced("note", 3, 4))
			must(t, signedStore(f, roomy, own).Append("note", 5))
			lines := strings.Split(strings.TrimSuffix(string(f.Files()[eventsAt]), "\n"), "\n")
			var text strings.Builder
			for _, l := range test.meddle(lines) {
				text.WriteString(line(l))
			}
			f.WriteFile(eventsAt, []byte(text.String()))
			if d := cmp.Diff(test.want, standings(t, f, "")); d != "" {
				t.Error(d)
			}
			// It goes on from what is signed, whatever stands there.
			must(t, signedStore(f, roomy, own).Append("more", 6))
			if d := cmp.Diff([]event.Standing{good}, standings(t, f, "more")); d != "" {
				t.Error(d)
			}
		})
	}
}

// Without the key nothing is judged, and with it the rows of before have no
// signature.
func TestReadersWithoutTheKeySeeWhatIsThere(t *testing.T) {
	f := project()
	must(t, storeOn(f, roomy).Append("note", 1))
	must(t, signedStore(f, roomy, own).Append("note", 2))
	all, damaged := rows(t, storeOn(f, roomy))
	for _, r := range all {
		if r.Standing != event.Unchecked || !r.Counts() {
			t.Errorf("%+v", r)
		}
	}
	if len(all) != 2 || damaged != 0 || !signedStore(f, roomy, own).Signs() || storeOn(f, roomy).Signs() {
		t.Errorf("%d rows, %d damaged", len(all), damaged)
	}
	if d := cmp.Diff([]event.Standing{plain, good}, standings(t, f, "")); d != "" {
		t.Error(d)
	}
}

// The chain goes on over rotated segments, over what is far behind the end, and
// over a torn line.
func TestTheChainGoesOnOverSegments(t *testing.T) {
	f := project()
	d := durable.Open(signedStore(f, 2000, own), "drive.json", engineKind)
	for range 20 {
		update(t, d, busy)
		must(t, signedStore(f, 2000, own).Append("note", strings.Repeat("x", 300)))
	}
	must(t, storeOn(f, 1<<20).Append("note", strings.Repeat("y", 100_000))) // far behind the end
	must(t, signedStore(f, 1<<20, own).Append("note", 1))
	f.WriteFile(eventsAt, append(f.Files()[eventsAt], `{"at":"torn`...))
	must(t, signedStore(f, 1<<20, own).Append("note", 2))
	if len(named(f, "events-")) < 2 {
		t.Fatal("nothing was rotated")
	}
	for i, s := range standings(t, f, "") {
		if s == misplaced || s == forged {
			t.Errorf("row %d: %d", i, s)
		}
	}
	if v := read(t, d); v.Doc.Count != 20 || v.Unsigned || v.Foreign {
		t.Errorf("%+v", v)
	}
}

// A signed snapshot stands without the journal, and so does a sealed copy.
func TestASignedSnapshotStandsByItself(t *testing.T) {
	f := project()
	d := signedDoc(f, own)
	update(t, d, busy)
	copied := d.Seal(read(t, d).Tree)
	update(t, d, busy)
	if !d.Sealed(copied) || d.Sealed([]byte(strings.Replace(string(copied), `"count": 1`, `"count": 9`, 1))) || d.Sealed(nil) {
		t.Errorf("sealed: %s", copied)
	}
	must(t, f.Remove(eventsAt))
	must(t, f.Remove(home+"/state"))
	if v := read(t, signedDoc(f, own)); v.Doc.Count != 2 || v.Unsigned || len(v.Notes) > 0 {
		t.Errorf("without a journal: %+v", v)
	}
	update(t, signedDoc(f, own), busy)
	f.WriteFile(stateAt, copied)
	if v := read(t, signedDoc(f, own)); v.Doc.Count != 1 || v.Unsigned || v.Undone {
		t.Errorf("a copy put back: %+v", v)
	}
	if v := read(t, signedDoc(f, key("another"))); !v.Unsigned {
		t.Error("signed by another key, and believed")
	}
	if text := string(docOn(f, roomy).Seal(read(t, d).Tree)); strings.Contains(text, "mac") {
		t.Errorf("signed without a key: %s", text)
	}
}

func TestAStoreOfAnotherFolderHasTheSameKey(t *testing.T) {
	f := project()
	must(t, signedStore(f, roomy, own).At(home+"/worktrees/a/.claude").Append("note", 1))
	s := signedStore(f, roomy, own).At(home + "/worktrees/a/.claude")
	n := 0
	_, err := s.Events(func(r event.Row) bool { n++; return r.Standing == event.Signed })
	if err != nil || n != 1 || s.Dir() != home+"/worktrees/a/.claude" {
		t.Errorf("%d rows in %s: %v", n, s.Dir(), err)
	}
}

// The mark is of a row that was synced and stands: what was taken back, or never
// synced, is not marked.
func TestTheMarkIsOfWhatIsDurable(t *testing.T) {
	f := project()
	s := signedStore(f, roomy, own)
	if s.Mark() != "" || storeOn(f, roomy).Mark() != "" {
		t.Error("marked before anything was written")
	}
	marked := func() string {
		t.Helper()
		mark, kind := s.Mark(), ""
		_, err := s.Events(func(r event.Row) bool {
			if r.Mac == mark {
				kind = r.Kind
			}
			return true
		})
		must(t, err)
		return kind
	}
	for _, test := range []struct {
		do   func() error
		want string
	}{
		{func() error { return s.AppendSynced("synced", 1) }, "synced"},
		{func() error { return s.Append("note", 1) }, "synced"},
		{func() error { _, err := signedDoc(f, own).Update(busy); return err }, event.Document},
		{func() error { _, err := signedDoc(f, own).Remove(); return err }, event.Removed},
	} {
		must(t, test.do())
		if got := marked(); got != test.want {
			t.Errorf("marked %q, want %q", got, test.want)
		}
	}
	f.WriteFile("/user"+home, []byte("torn"))
	if s.Mark() != "" {
		t.Error("a torn mark is none")
	}
	if about := s.Seal("a", []byte("x")); about == s.Seal("b", []byte("x")) || storeOn(f, roomy).Seal("a", nil) != "" {
		t.Error("a note is signed for what it is about")
	}
}
