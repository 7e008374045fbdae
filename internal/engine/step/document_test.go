package step

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/durable"
	"warp/internal/sys/proc"
)

type note struct {
	Text string `json:"text"`
	N    int    `json:"n"`
}

func (d *desk) document() *Document[note] {
	return &Document[note]{Doc: durable.Open(d.store(), "note.json", durable.Kind[note]{Name: "note"}), Remark: d.taker().Remark}
}

func (d *desk) file(name string) string { return filepath.Join(d.dir, "project", ".claude", name) }

func add(n *note) error { n.N++; return nil }

func TestADocumentIsUpdated(t *testing.T) {
	d := newDesk(t)
	doc := d.document()
	if err := doc.Update("change", add); err == nil || !strings.Contains(err.Error(), "nothing to change yet (change)") {
		t.Errorf("%v", err)
	}
	if again, err := doc.Repair(); again || err != nil {
		t.Errorf("nothing is repaired: %v, %v", again, err)
	}
	var points []string
	doc.Passed = func(p string) { points = append(points, p) }
	doc.Before = func(n *note) { n.Text += "." }
	doc.Set(&note{Text: "a"})
	d.must(doc.Update("first", add))
	if err := doc.Update("refused", func(*note) error { return errBroken }); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
	// An agent that removes the file removes no more than a file.
	d.must(os.Remove(d.file("note.json")))
	d.must(doc.Update("second", add))
	if have := *doc.Now(); have != (note{"a..", 2}) || strings.Join(points, " ") != "first second" {
		t.Errorf("%+v, %v", have, points)
	}
	other := d.document()
	v, err := other.Doc.Read()
	if err != nil || *v.Doc != (note{"a..", 2}) {
		t.Errorf("%+v, %v", v.Doc, err)
	}
}

// What a change makes of a document is told before it is on record, once; of one that was
// removed, after it.
func TestAChangeIsToldBefore(t *testing.T) {
	d := newDesk(t)
	doc := d.document()
	doc.Before = func(n *note) { n.Text += "." }
	doc.Set(&note{Text: "a"})
	d.must(doc.Update("first", add))
	var told []string
	tell := func(next *note) {
		on := "nothing"
		if v, err := d.document().Doc.Read(); err == nil {
			on = fmt.Sprint(v.Doc.N)
		}
		told = append(told, fmt.Sprintf("%s %d, on record %s", next.Text, next.N, on))
	}
	d.must(doc.UpdateTold("second", add, tell))
	d.must(os.Remove(d.file("note.json")))
	d.must(doc.UpdateTold("third", add, tell))
	if err := doc.UpdateTold("refused", func(*note) error { return errBroken }, tell); !errors.Is(err, errBroken) {
		t.Errorf("%v", err)
	}
	if got := strings.Join(told, "; "); got != "a.. 2, on record 1; a... 3, on record 3" {
		t.Errorf("told: %s", got)
	}
}

func TestADocumentIsRepaired(t *testing.T) {
	for name, does := range map[string]func(*desk){
		"tampered": func(d *desk) {
			text, err := os.ReadFile(d.file("note.json"))
			d.must(err)
			d.must(os.WriteFile(d.file("note.json"), []byte(strings.Replace(string(text), `"n": 1`, `"n": 1000`, 1)), 0o600))
		},
		"removed":                  func(d *desk) { d.must(os.Remove(d.file("note.json"))) },
		"removed with its journal": func(d *desk) { d.must(os.RemoveAll(filepath.Join(d.dir, "project", ".claude"))) },
	} {
		d := newDesk(t)
		doc := d.document()
		doc.Set(&note{Text: "a"})
		d.must(doc.Update("first", add))
		if again, err := doc.Repair(); again || err != nil {
			t.Errorf("%s: repaired before: %v, %v", name, again, err)
		}
		does(d)
		again, err := doc.Repair()
		v, bad := d.document().Doc.Read()
		if !again || err != nil || bad != nil || *v.Doc != (note{"a", 1}) {
			t.Errorf("%s: %v, %v, %+v, %v", name, again, err, v.Doc, bad)
		}
	}
}

func (d *desk) lease() (*Lease, error) {
	return Acquire(d.Context(), d.store(), "work", Process{PID: os.Getpid(), Host: "here"}, d.taker().Remark)
}

func TestALeaseThatWasRemovedIsTakenAgain(t *testing.T) {
	d := newDesk(t)
	l, err := d.lease()
	d.must(err)
	d.must(l.Check())
	d.must(os.RemoveAll(d.file("locks")))
	d.must(l.Check())
	if len(d.said) != 1 || !strings.Contains(d.said[0], "was removed while it ran") {
		t.Errorf("%q", d.said)
	}
	l.Release()
	list, err := d.store().Leases()
	if err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// other writes the lock file of another process.
func (d *desk) other(pid int) {
	d.Helper()
	d.must(os.RemoveAll(d.file("locks")))
	stamp, _ := proc.Started(pid)
	_, _, err := d.store().Acquire("work", durable.Process{PID: pid, Stamp: stamp, Host: "here"}, proc.Started)
	d.must(err)
}

func TestALeaseThatAnotherTook(t *testing.T) {
	for name, pid := range map[string]int{"who lives": os.Getppid(), "who is dead": 1 << 30} {
		d := newDesk(t)
		l, err := d.lease()
		d.must(err)
		d.other(pid)
		if err := l.Check(); !errors.Is(err, durable.ErrLeaseLost) {
			t.Errorf("%s: %v", name, err)
		}
		doc := d.document()
		doc.Lease = l
		doc.Set(&note{})
		told := false
		if err := doc.UpdateTold("x", add, func(*note) { told = true }); name == "who lives" && (told || !errors.Is(err, durable.ErrLeaseLost)) {
			t.Errorf("%s: told %t by one who was replaced: %v", name, told, err)
		}
		if err := doc.Update("x", add); name == "who lives" && !errors.Is(err, durable.ErrLeaseLost) {
			t.Errorf("%s: written: %v", name, err)
		}
	}
}

func TestALeaseIsTakenOver(t *testing.T) {
	d := newDesk(t)
	d.other(os.Getppid())
	var locked *durable.LockedError
	if _, err := d.lease(); !errors.As(err, &locked) || locked.PID != os.Getppid() {
		t.Errorf("%v", err)
	}
	d.other(1 << 30)
	l, err := d.lease()
	d.must(err)
	l.Release()
	d.must(os.WriteFile(d.file("locks/work.lock"), []byte("{torn"), 0o600))
	l, err = d.lease()
	d.must(err)
	l.Release()
	if have := strings.Join(d.said, "\n"); !strings.Contains(have, "Took over from process 1073741824") || !strings.Contains(have, "Took over a damaged lock (work)") {
		t.Errorf("%q", d.said)
	}
}
