package quality

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/leakscan"
	"warp/internal/core/workqueue"
	"warp/internal/engine/agent"
	leaks "warp/internal/engine/leak"
	"warp/internal/engine/policy/session"
)

func (p *place) noted(gate string) string {
	for _, n := range p.notes {
		if n.Kind == session.Gated && strings.HasPrefix(n.Text, gate+": ") {
			return n.Text
		}
	}
	return ""
}

func TestWhatACommandSays(t *testing.T) {
	for _, c := range []struct {
		name string
		gate Gate
		want string
		note string
	}{
		{"passes", Gate{Name: "x", Command: "true"}, workqueue.Pass, "x: pass"},
		{"fails", Gate{Name: "x", Command: "echo broken; exit 2"}, workqueue.Fail, "broken"},
		{"a program that is missing", Gate{Name: "x", Command: "A=1 no-such-program --all"}, workqueue.Warn, "no-such-program is not installed"},
		{"a script that is gone", Gate{Name: "x", Command: "./gone.sh"}, workqueue.Fail, "gone.sh"},
		{"a script whose program is missing", Gate{Name: "x", Command: "sh -c no-such-program"}, workqueue.Fail, "no-such-program"},
		{"finds", Gate{Name: "x", Command: "exit 3", Finds: 3}, workqueue.Fail, "x: fail"},
		{"could not look", Gate{Name: "x", Command: "echo offline; exit 1", Finds: 3}, workqueue.Warn, "offline"},
		{"tests without a known command", Gate{Name: "test"}, workqueue.Warn, "no test command is known"},
		{"a secret in its output", Gate{Name: "x", Command: "echo hunter2; exit 1"}, workqueue.Fail, "[redacted]"},
	} {
		p := newPlace(t)
		p.o.Gates = []Gate{c.gate}
		p.o.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") }
		p.iterate(p.open(), 1)
		if got := p.gate(c.gate.Name); got.Status != c.want || (c.want == workqueue.Warn) != (got.Severity == workqueue.S3) {
			t.Errorf("%s: %+v", c.name, got)
		}
		if got := p.noted(c.gate.Name); !strings.Contains(got, c.note) || strings.Contains(got, "hunter2") {
			t.Errorf("%s: told %q", c.name, got)
		}
		if strings.Contains(p.read(".claude/"+workqueue.File), "hunter2") {
			t.Errorf("%s: the queue has a secret", c.name)
		}
	}
}

func TestASecretThatIsAddedIsTheMostUrgent(t *testing.T) {
	p := newPlace(t)
	p.o.Leaks = leaks.New(leaks.Options{Scan: func(text string) (list []leakscan.Match) {
		for _, s := range []string{"OLDKEY", "NEWKEY"} {
			if strings.Contains(text, s) {
				list = append(list, leakscan.Match{Rule: "planted", Value: s})
			}
		}
		return list
	}})
	p.write("old.txt", "OLDKEY\n") // the user's own, uncommitted
	p.scans = [][]map[string]any{{found("a", "S1")}}
	p.build = func(agent.Task, int) map[string]any {
		p.write("new.txt", "one\nNEWKEY\n")
		p.git("add", "new.txt")
		p.git("commit", "-q", "-m", "in")
		return map[string]any{"items_completed": []string{"work-001"}}
	}
	p.iterate(p.open(), 1)
	if r := p.gate("security"); r.Status != workqueue.Fail || r.Severity != workqueue.S0 || r.Issues != 1 {
		t.Errorf("%+v", r)
	}
	it := p.item("work-002")
	if it.Priority != workqueue.S0 || !strings.Contains(it.Description, "new.txt:2") || strings.Contains(it.Description, "NEWKEY") || strings.Contains(it.Description, "old.txt") {
		t.Errorf("%+v", it)
	}
	if p.item("work-001").Status == workqueue.Done {
		t.Error("what added a secret is taken for done")
	}
}

func TestPreflight(t *testing.T) {
	t.Run("conflict markers", func(t *testing.T) {
		p := newPlace(t)
		p.scans = [][]map[string]any{{found("a", "S1")}}
		p.build = func(agent.Task, int) map[string]any {
			p.write("half.txt", "<<<<<<< is only the word\n")
			p.write("README.md", "shop\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n")
			return nil
		}
		p.iterate(p.open(), 1)
		if it := p.item("work-002"); p.gate("preflight").Status != workqueue.Fail || !strings.Contains(it.Description, "README.md:2") || strings.Contains(it.Description, "half") {
			t.Errorf("%+v", it)
		}
	})
	t.Run("a merge that was not finished", func(t *testing.T) {
		p := newPlace(t)
		p.git("checkout", "-q", "-b", "other")
		p.write("README.md", "other\n")
		p.git("commit", "-q", "-am", "other")
		p.git("checkout", "-q", "main")
		p.write("README.md", "mine\n")
		p.git("commit", "-q", "-am", "mine")
		merge := exec.Command("git", "merge", "-q", "other")
		merge.Dir = p.root
		if merge.Run() == nil {
			t.Fatal("it should conflict")
		}
		p.iterate(p.open(), 1)
		if got := p.noted("preflight"); !strings.Contains(got, "in conflict: README.md") {
			t.Error(got)
		}
	})
	t.Run("no repository", func(t *testing.T) {
		p := newPlace(t)
		if err := os.RemoveAll(filepath.Join(p.root, ".git")); err != nil {
			t.Fatal(err)
		}
		p.o.Root = p.root
		out := p.iterate(p.open(), 1)
		if p.gate("preflight").Status != workqueue.Warn || p.gate("security").Status != workqueue.Warn || out.Row.Changed {
			t.Errorf("%+v", p.queue().GateResults)
		}
	})
}

func TestConfiguredGatesStandInForOthers(t *testing.T) {
	found := []Gate{{Name: "lint", Command: "go vet"}, {Name: "test", Command: "go test"}}
	for name, c := range map[string]struct {
		configured []Gate
		want       string
	}{
		"none":           {nil, "preflight= lint=go vet test=go test security="},
		"instead":        {[]Gate{{Name: "test", Command: "make test"}}, "preflight= lint=go vet test=make test security="},
		"besides":        {[]Gate{{Name: "licences", Command: "check"}}, "preflight= lint=go vet test=go test security= licences=check"},
		"turned off":     {[]Gate{{Name: "lint"}, {Name: "test"}, {Name: "security"}, {Name: "preflight"}, {Name: "none"}}, "preflight= security="},
		"with ours, too": {[]Gate{{Name: "security", Command: "audit"}}, "preflight= lint=go vet test=go test security=audit"},
	} {
		var got []string
		for _, g := range assemble(found, c.configured, false) {
			got = append(got, g.Name+"="+g.Command)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestAGateThatIsNoMoreIsForgotten(t *testing.T) {
	p := newPlace(t)
	p.o.Gates = append(p.o.Gates, Gate{Name: "lint", Command: "exit 1"})
	b := p.open()
	p.iterate(b, 1)
	_ = b.Close()
	p.o.Gates = p.o.Gates[:1]
	p.iterate(p.open(), 2)
	if q := p.queue(); q.GateResults.Get("lint") != nil || q.Open() != 0 || len(p.built) != 0 {
		t.Errorf("%+v %+v", q.GateResults, q.Items)
	}
}

// A loop that guts its tests has no gates that count, however green they are.
func TestWeakenedTestsFailTheGateIntegrity(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("a", "S1")}}
	p.write("test.sh", "test -e fixed\n")
	p.build = func(a agent.Task, n int) map[string]any {
		text := "exit 0\n"
		if n > 1 {
			text = "test -e fixed\n"
			p.write("fixed", "")
		}
		p.write("test.sh", text)
		return map[string]any{"summary": "did", "items_completed": a.Criteria}
	}
	b := p.open()
	if out := p.iterate(b, 1); out.Row.Gates != "fail" || p.gate("integrity").Status != workqueue.Fail || p.gate("test").Status != workqueue.Pass {
		t.Errorf("%+v %+v", out.Row, p.queue().GateResults)
	}
	if p.iterate(b, 2); p.gate("integrity").Status != workqueue.Pass {
		t.Errorf("%+v", p.gate("integrity"))
	}
}

func TestTheTimeThatIsLeftBoundsAGate(t *testing.T) {
	p := newPlace(t)
	p.o.Gates = []Gate{{Name: "test", Command: "sleep 600"}}
	p.s.TimeLeft = func() (time.Duration, error) { return 20 * time.Millisecond, nil }
	p.iterate(p.open(), 1)
	if got := p.gate("test"); got.Status != workqueue.Fail || !strings.Contains(p.item("work-001").Description, "was stopped after 20ms") {
		t.Errorf("%+v %+v", got, p.queue().Items)
	}
}

// An agent that writes the queue has not done the work.
func TestAnAgentDoesNotWriteTheQueue(t *testing.T) {
	p := newPlace(t)
	p.scans = [][]map[string]any{{found("a", "S1")}}
	p.build = func(agent.Task, int) map[string]any {
		file := ".claude/" + workqueue.File
		p.write(file, strings.ReplaceAll(p.read(file), "in_progress", "done"))
		return map[string]any{"summary": "did"}
	}
	p.iterate(p.open(), 1)
	if p.item("work-001").Status == workqueue.Done {
		t.Error("its word counts")
	}
}
