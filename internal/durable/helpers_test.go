package durable_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// Where the tests keep their state in a faultfs.
const (
	home     = "/p/.claude"
	stateAt  = home + "/drive.json"
	eventsAt = home + "/state/events.jsonl"
)

// item is an array element that keeps what it does not know.
type item struct {
	lossless.Origin
	ID   int    `json:"id"`
	Text string `json:"text,omitempty"`
}

// state is the document of these tests.
type state struct {
	Version int      `json:"version"`
	Phase   string   `json:"phase"`
	Count   int      `json:"count"`
	Items   []item   `json:"items"`
	Seen    []string `json:"seen,omitempty"` // the observers' rows that were taken in
}

var kind = durable.Kind[state]{Name: "drive", Version: 3, Validate: func(s *state) error {
	if !slices.Contains([]string{"", "idle", "busy"}, s.Phase) {
		return fmt.Errorf("unknown phase %q", s.Phase)
	}
	return nil
}}

// clock is always the same moment: names that carry a time must not rely on it.
func clock() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC) }

func storeOn(f durable.FS, segment int64) *durable.Store {
	return durable.New(durable.Config{Dir: home, FS: f, Now: clock, PID: 42, SegmentSize: segment})
}

func docOn(f durable.FS, segment int64) *durable.Doc[state] {
	return durable.Open(storeOn(f, segment), "drive.json", kind)
}

// project is a file system with nothing but a project in it.
func project() *faultfs.FS {
	f := faultfs.New()
	f.WriteFile("/p/readme", []byte("a project\n"))
	return f
}

// step carries one change out on the document: one more count, one more item,
// and the observers' rows are taken in.
func step(tx *durable.Tx[state]) error {
	if tx.Doc == nil {
		tx.Doc = &state{Version: 3, Phase: "idle"}
	}
	tx.Doc.Count++
	tx.Doc.Items = append(tx.Doc.Items, item{ID: tx.Doc.Count, Text: "item"})
	tx.Doc.Seen = append(tx.Doc.Seen, notes(tx.Since)...)
	tx.Log("step", map[string]int{"count": tx.Doc.Count})
	return nil
}

// notes names the observers' rows of a test.
func notes(rows []event.Row) (names []string) {
	for _, r := range rows {
		if r.Kind == "note" {
			names = append(names, r.Data.Text())
		}
	}
	return names
}

const missing = "missing"

// look returns the document's text, "missing", or the error's text.
func look(d *durable.Doc[state]) (string, durable.View[state], error) {
	v, err := d.Read()
	switch {
	case durable.IsMissing(err):
		return missing, v, nil
	case err != nil:
		return err.Error(), v, err
	}
	return compact(v.Tree), v, nil
}

func compact(v *lossless.Value) string { return string(lossless.AppendCompact(nil, v)) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func update(t testing.TB, d *durable.Doc[state], fn func(*durable.Tx[state]) error) []string {
	t.Helper()
	notes, err := d.Update(fn)
	must(t, err)
	return notes
}

func read(t testing.TB, d *durable.Doc[state]) durable.View[state] {
	t.Helper()
	v, err := d.Read()
	must(t, err)
	return v
}

// named lists the files whose name contains a text.
func named(f *faultfs.FS, text string) (names []string) {
	for name := range f.Files() {
		if strings.Contains(name, text) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func mentions(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one that mentions %q", words)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not mention %q", err, w)
		}
	}
}

func isDamaged(err error) bool {
	var d *durable.DamagedError
	return errors.As(err, &d)
}

// complete tells whether to sweep over every point instead of a sample.
func complete() bool { return os.Getenv("WARP_SWEEP") != "" }

// row logs one line of the table that make sweep prints. A point that went
// wrong has failed the test; only where a disk lies can acknowledged states be
// lost, and they are counted.
func row(t *testing.T, points, lost int) {
	t.Helper()
	if !t.Failed() {
		t.Logf("row | in memory: %s | %d | %d | 0 | 0 |", spoken(strings.TrimPrefix(t.Name(), "Test")), points, lost)
	}
}

// spoken writes ATestsName as a test's name.
func spoken(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// some are the modes to try where others are tried besides: the harshest, or all.
func some(modes []faultfs.Mode) []faultfs.Mode {
	if complete() {
		return modes
	}
	return modes[:1]
}

// sample takes one of so many points of a sweep, or all of them.
func sample(of int) (take func() bool) {
	n := 0
	return func() bool {
		n++
		return complete() || n%of == 0
	}
}
