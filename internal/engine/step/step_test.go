package step

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
)

func TestAnAnswerIsAskedForOnce(t *testing.T) {
	d := newDesk(t)
	first := d.taker()
	a := d.run(first, named("code 1"))
	if b := d.run(first, named("code 1")); b.Text != a.Text || len(d.asked) != 1 {
		t.Errorf("asked %d times: %+v", len(d.asked), b)
	}
	// A new process, with the same file.
	second := d.taker()
	if b := d.run(second, named("code 1")); b.Text != "answer 1" || len(d.asked) != 1 || len(d.rows) != 1 {
		t.Errorf("asked %d times, %d rows: %+v", len(d.asked), len(d.rows), b)
	}
	if b := d.run(second, named("code 2")); b.Text != "answer 2" {
		t.Errorf("%+v", b)
	}
	d.run(second, Step{}) // without a name it is asked each time
	d.run(second, Step{})
	if len(d.asked) != 4 || len(d.rows) != 4 {
		t.Errorf("asked %d times, %d rows", len(d.asked), len(d.rows))
	}
}

func TestAMemoryThatIsTornIsNone(t *testing.T) {
	d := newDesk(t)
	d.run(d.taker(), named("code 1"))
	file := filepath.Join(d.dir, "memory", "m.json")
	text, err := os.ReadFile(file)
	d.must(err)
	d.must(os.WriteFile(file, text[:len(text)/2], 0o600))
	d.run(d.taker(), named("code 1"))
	if len(d.asked) != 2 {
		t.Errorf("asked %d times", len(d.asked))
	}
	m, fresh, err := Remember(d.store(), file, "other work")
	if err != nil || !fresh || len(m.Answers) != 0 {
		t.Errorf("another's memory: %+v, %v, %v", m, fresh, err)
	}
	if m, fresh, _ := Remember(d.store(), file, "work"); fresh || len(m.Answers) != 1 {
		t.Errorf("our own: %+v, %v", m, fresh)
	}
	m.Forget()
	if _, fresh, _ := Remember(d.store(), file, "work"); !fresh {
		t.Error("it was not forgotten")
	}
	d.must(os.MkdirAll(file, 0o755))
	if _, _, err := Remember(d.store(), file, "work"); err == nil {
		t.Error("a folder is no memory")
	}
}

func TestAFactIsFoundOutOnce(t *testing.T) {
	d := newDesk(t)
	n := 0
	find := func() ([]int, error) { n++; return []int{n}, nil }
	for range 2 {
		m := d.taker().Memory
		if have, err := FactAs(m, "list", find); err != nil || len(have) != 1 || have[0] != 1 {
			t.Errorf("%v, %v", have, err)
		}
	}
	m := d.taker().Memory
	if _, err := m.Fact("bad", func() (string, error) { return "", errBroken }); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if have, err := m.Fact("bad", func() (string, error) { return "now", nil }); err != nil || have != "now" {
		t.Errorf("a failure is remembered: %q, %v", have, err)
	}
	if _, err := FactAs(m, "worse", func() (int, error) { return 0, errBroken }); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// An engine that is killed while it writes leaves half a file beside the memory.
func TestAForgottenMemoryLeavesNothing(t *testing.T) {
	d := newDesk(t)
	m := d.taker().Memory
	d.must(m.Keep("x", Answer{Text: "y"}))
	folder := filepath.Join(d.dir, "memory")
	for _, name := range []string{"m.json.123.tmp", "am.json.123.tmp", "m.json.old"} {
		d.must(os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	m.Forget()
	var left []string
	entries, err := os.ReadDir(folder)
	d.must(err)
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"am.json.123.tmp", "m.json.old"}; !slices.Equal(left, want) {
		t.Errorf("%q is left, want %q", left, want)
	}
}

// The agent's own failure is an answer; a limit, a stop and a lost login are not.
func TestWhatIsKept(t *testing.T) {
	for end, kept := range map[agent.End]bool{agent.Done: true, agent.Crashed: true, agent.Refused: true, agent.Limited: false, agent.NoLogin: false, agent.Budgeted: false, agent.Unpriced: false} {
		d := newDesk(t)
		d.does = func(agent.Task) (agent.Result, error) { return agent.Result{End: end}, nil }
		tk := d.taker()
		tk.Bounds.Explicit = true
		a := d.run(tk, named("x"))
		if _, known := d.taker().Memory.Answers["x"]; known != kept || a.Failed() == (end == agent.Done) || len(d.rows) != 1 {
			t.Errorf("%s: kept %v, %+v", end, known, a)
		}
	}
}

func TestSecretsAreNotKept(t *testing.T) {
	d := newDesk(t)
	d.does = func(agent.Task) (agent.Result, error) {
		v, err := lossless.Parse([]byte(`{"summary":"hunter2","n":1}`))
		return agent.Result{End: agent.Done, Text: "it is hunter2", JSON: v}, err
	}
	a := d.run(d.taker(), named("x"))
	var said struct {
		Summary string
		N       int
	}
	if !a.Read(&said) || said.Summary != "***" || said.N != 1 || a.Text != "it is ***" {
		t.Errorf("%+v, %+v", a, said)
	}
	text, err := os.ReadFile(filepath.Join(d.dir, "memory", "m.json"))
	if err != nil || strings.Contains(string(text), "hunter2") {
		t.Errorf("%s, %v", text, err)
	}
	tk := d.taker()
	tk.Redact = func(s string) string { return strings.ReplaceAll(s, `"hunter2"`, "***") }
	if a := d.run(tk, named("y")); a.Result != nil || a.Read(&said) {
		t.Errorf("JSON that hiding a secret broke is a result: %s", a.Result)
	}
}

func TestWhatCannotGoOn(t *testing.T) {
	for name, c := range map[string]func(*desk, *Taker){
		"the lease is lost": func(_ *desk, tk *Taker) { tk.Lease = func() error { return errBroken } },
		"no such agent":     func(_ *desk, tk *Taker) { tk.Agents = func(string) (Agents, error) { return nil, errBroken } },
		"the agent's error": func(d *desk, _ *Taker) {
			d.does = func(agent.Task) (agent.Result, error) { return agent.Result{}, errBroken }
		},
		"the row is not kept": func(_ *desk, tk *Taker) { tk.Record = func(Ran) error { return errBroken } },
		"a budget is not known": func(_ *desk, tk *Taker) {
			tk.Bounds.Used = func(context.Context) (string, error) { return "", errBroken }
		},
	} {
		d := newDesk(t)
		tk := d.taker()
		c(d, tk)
		if _, err := tk.Run(t.Context(), named("x")); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
		if a, known := d.taker().Memory.Answers["x"]; known && !a.Pending {
			t.Errorf("%s: it is answered", name)
		}
	}
}

// The guard stands around the run: what is a person's is back, what the run made
// is named, once.
func TestTheGuardStandsAroundTheRun(t *testing.T) {
	d := newDesk(t)
	tk := d.guarded()
	var points []string
	tk.Passed = func(p string) { points = append(points, p) }
	d.does = func(agent.Task) (agent.Result, error) {
		d.sh("rm mine.txt; echo made > made.txt; git commit -q --allow-empty -m sly")
		return agent.Result{End: agent.Done}, nil
	}
	s := named("x")
	s.Scope = guard.Scope{Owner: "test", Label: "test", Refs: []string{"refs/heads/main"}}
	a := d.run(tk, s)
	if have := d.sh("cat mine.txt; git log --format=%s"); have != "mine\nbegin" || strings.Join(a.Changed, " ") != "made.txt" {
		t.Errorf("%q, changed %v", have, a.Changed)
	}
	if len(d.rows) != 1 || len(d.rows[0].Findings) < 2 || strings.Join(points, ", ") != "agent ended code, ran code" {
		t.Errorf("%+v, %v", d.rows, points)
	}
}

func TestARunThatMayOnlyLook(t *testing.T) {
	d := newDesk(t)
	tk := d.guarded()
	d.does = func(agent.Task) (agent.Result, error) {
		d.sh("echo evil > code.txt; echo made > made.txt")
		return agent.Result{End: agent.Done}, nil
	}
	told := 0
	s := Step{Task: agent.Task{Role: agent.Verify, ReadOnly: true}, Scope: guard.Scope{Owner: "test", Label: "test", Report: func(guard.Finding) { told++ }}}
	d.run(tk, s)
	if have := d.sh("cat code.txt; ls"); have != "one\ncode.txt\nmine.txt" || told == 0 {
		t.Errorf("%q, told %d", have, told)
	}
}

func TestWhatAPersonChangedBetweenTwoRuns(t *testing.T) {
	d := newDesk(t)
	tk := d.guarded()
	var between []string
	tk.Between = func(paths []string) error { between = append(between, paths...); return nil }
	s := Step{Task: agent.Task{Role: agent.Code}, Scope: guard.Scope{Owner: "test", Label: "test", Allows: func(p string) bool { return p == "code.txt" }}}
	d.run(tk, s)
	d.sh("echo two > mine.txt")
	d.does = func(agent.Task) (agent.Result, error) {
		d.sh("echo x > other.txt")
		return agent.Result{End: agent.Done}, nil
	}
	a := d.run(tk, s)
	if strings.Join(between, " ") != "mine.txt" || strings.Join(a.Outside, " ") != "other.txt" || len(a.Changed) != 0 {
		t.Errorf("between %v, %+v", between, a)
	}
	if !strings.Contains(strings.Join(d.said, "\n"), `not committed: "other.txt"`) {
		t.Errorf("%q", d.said)
	}
	d.sh("echo three > mine.txt")
	tk.Between = func([]string) error { return errBroken }
	if _, err := tk.Run(t.Context(), s); !errors.Is(err, errBroken) || len(d.asked) != 2 {
		t.Errorf("%v after %d runs", err, len(d.asked))
	}
}

// Without .git only a person can go on, and is told how.
func TestARepositoryThatIsGone(t *testing.T) {
	d := newDesk(t)
	tk := d.guarded()
	d.does = func(agent.Task) (agent.Result, error) { d.sh("rm -rf .git"); return agent.Result{End: agent.Done}, nil }
	_, err := tk.Run(t.Context(), Step{Task: agent.Task{Role: agent.Code}, Scope: guard.Scope{Owner: "test", Label: "test"}})
	var stop *StoppedError
	if !errors.As(err, &stop) || stop.Do == "" || stop.Error() == "" || len(d.rows) != 1 {
		t.Errorf("%v, %d rows", err, len(d.rows))
	}
}

func TestHowLongARunMayTake(t *testing.T) {
	d := newDesk(t)
	tk := d.taker()
	tk.Bounds.Idle = time.Minute
	d.run(tk, Step{})
	d.run(tk, Step{Task: agent.Task{Timeout: time.Hour, Idle: time.Second, Patience: agent.Patience{Linger: time.Second}}})
	a, b := d.asked[0], d.asked[1]
	if a.Timeout != runTime || a.Idle != time.Minute || a.Linger != runAfter || b.Timeout != time.Hour || b.Idle != time.Second || b.Linger != time.Second {
		t.Errorf("%+v, %+v", a, b)
	}
}

// An engine that cannot keep what a person changed, or what the agent said, has
// ended the run for the guard all the same: what the person commits then stays.
func TestARunThatFailsIsOver(t *testing.T) {
	for name, fails := range map[string]func(*desk, *Taker){
		"between": func(d *desk, tk *Taker) {
			d.sh("echo more > theirs.txt")
			tk.Between = func([]string) error { return errBroken }
		},
		"answer": func(d *desk, tk *Taker) { tk.Memory.file = filepath.Join(d.dir, "project", "code.txt", "m.json") },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			tk := d.guarded()
			ask := named("one")
			ask.Scope = guard.Scope{Owner: "work", Label: "x", Refs: []string{"refs/heads/main"}}
			ask.Name = ""
			d.run(tk, ask)
			fails(d, tk)
			ask.Name = "one"
			if _, err := tk.Run(context.Background(), ask); err == nil {
				t.Fatal("it did not fail")
			}
			d.sh("git commit -q --allow-empty -m theirs")
			tk.Between, ask.Name = nil, ""
			d.run(tk, ask)
			if have := d.sh("git log -1 --format=%s"); have != "theirs" {
				t.Errorf("the last commit is %q", have)
			}
		})
	}
}
