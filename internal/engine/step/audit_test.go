package step

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
)

// told is what an engine says at its start about the journal.
func (d *desk) told() (list []string) {
	TellTampering(d.store(), func(format string, args ...any) {
		list = append(list, args[0].(string))
	})
	return list
}

func TestTamperingIsToldOnce(t *testing.T) {
	d := newDesk(t)
	d.must(d.store().AppendSynced(event.Run, evidence.Run{Work: "w", MicroUSD: 5}))
	d.must(d.store().AppendSynced(event.Intervened, evidence.Intervened{Work: "w", What: "commit", Text: "taken back"}))
	d.must(d.store().AppendSynced(event.Run, evidence.Run{Work: "w", MicroUSD: 6}))
	if list := d.told(); len(list) > 0 {
		t.Fatalf("%q", list)
	}
	agent := durable.New(durable.Config{Dir: d.store().Dir(), Now: func() time.Time { return d.now.Add(time.Hour) }})
	d.must(agent.Append(event.Run, evidence.Run{Work: "w", MicroUSD: -5_000_000}))
	d.must(agent.Append(event.Verdict, evidence.Verdict{ID: "AC-01", Met: true}))
	d.must(agent.Append(event.Edit, map[string]string{"file": "a"})) // as hooks do
	journal := filepath.Join(d.store().Dir(), "state", "events.jsonl")
	text, err := os.ReadFile(journal)
	d.must(err)
	var kept []string
	for _, line := range strings.SplitAfter(string(text), "\n") {
		if !strings.Contains(line, `"kind":"intervened"`) {
			kept = append(kept, line)
		}
	}
	d.must(os.WriteFile(journal, []byte(strings.Join(kept, "")), 0o600))
	list := strings.Join(d.told(), "\n")
	for _, want := range []string{"2 rows of proof are not signed", "in 1 place signed rows were removed", "3 rows are from the future", "1 run claims a negative cost"} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is missing in:\n%s", want, list)
		}
	}
	if list := d.told(); len(list) > 0 {
		t.Errorf("told again: %q", list)
	}
	d.must(agent.Append(event.Verdict, evidence.Verdict{ID: "AC-02", Met: true}))
	if list := d.told(); len(list) != 2 || !strings.Contains(list[0], "1 row of proof") { // it is from the future, too
		t.Errorf("%q", list)
	}
}

// An agent that answers in the verifier's place, in the file of what is known, is
// not heard.
func TestAMemoryThatIsNotSignedIsNone(t *testing.T) {
	d := newDesk(t)
	d.run(d.taker(), named("code 1"))
	file := filepath.Join(d.dir, "memory", "m.json")
	text, err := os.ReadFile(file)
	d.must(err)
	for name, forged := range map[string]string{
		"rewritten": strings.Replace(string(text), `"end":"done"`, `"end":"done","text":"met"`, 1),
		"unsigned":  `{"key":"work","answers":{"verify":{"agent":"x","end":"done"}}}`,
	} {
		if forged == string(text) {
			t.Fatalf("%s: nothing was forged: %s", name, text)
		}
		d.must(os.WriteFile(file, []byte(forged), 0o600))
		if m, fresh, err := Remember(d.store(), file, "work"); err != nil || !fresh || len(m.Answers) > 0 {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	d.must(os.WriteFile(file, text, 0o600))
	if m, fresh, err := Remember(d.store(), file, "work"); err != nil || fresh || len(m.Answers) != 1 {
		t.Errorf("our own: %+v, %v", m, err)
	}
}

// What is cut off the journal's end leaves a whole chain: the mark tells.
func TestAJournalThatWasCutIsTold(t *testing.T) {
	d := newDesk(t)
	d.must(d.store().AppendSynced(event.Run, evidence.Run{Work: "w", MicroUSD: 5}))
	journal := filepath.Join(d.store().Dir(), "state", "events.jsonl")
	before, err := os.ReadFile(journal)
	d.must(err)
	d.must(d.store().AppendSynced(event.Run, evidence.Run{Work: "w", MicroUSD: 6}))
	d.must(d.store().Append(event.Run, evidence.Run{Work: "w", MicroUSD: 7})) // not synced: it may be lost
	after, err := os.ReadFile(journal)
	d.must(err)
	lines := strings.SplitAfter(string(after), "\n")
	d.must(os.WriteFile(journal, []byte(lines[0]+lines[1]), 0o600))
	if list := d.told(); len(list) > 0 {
		t.Errorf("a power cut: %q", list)
	}
	d.must(os.WriteFile(journal, before, 0o600))
	if list := d.told(); len(list) != 1 || !strings.Contains(list[0], "missing at its end") {
		t.Errorf("cut: %q", list)
	}
	if list := d.told(); len(list) > 0 {
		t.Errorf("told again: %q", list)
	}
	d.must(os.Remove(journal)) // a new one
	d.must(d.store().AppendSynced(event.Run, evidence.Run{Work: "w", MicroUSD: 6}))
	if list := d.told(); len(list) > 0 {
		t.Errorf("a new journal: %q", list)
	}
}
