package quality

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/lossless"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/judge"
	"warp/internal/engine/leak"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/testkit/gittest"
	"warp/internal/testkit/rooms"
	"warp/internal/turnstile"
)

var noon = time.Date(2026, 1, 29, 12, 0, 0, 0, time.UTC)

func now() time.Time { return noon }

// quick is a file system that no power cut is expected of.
type quick struct{ durable.OS }

type quickFile struct{ durable.File }

func (quick) SyncDir(string) error { return nil }

func (quickFile) Sync() error { return nil }

func (q quick) Open(name string, flag int, perm fs.FileMode) (durable.File, error) {
	f, err := q.OS.Open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return quickFile{f}, nil
}

// place is a project with a loop in it, and the agents that work there.
type place struct {
	t     *testing.T
	o     Options
	s     session.GatesStage
	root  string
	state string // the user's state folder
	base  string // the work tree before the loop
	// scans are what the assessments find, one after the other, and nothing
	// after the last; builds what the other agent does.
	scans  [][]map[string]any
	build  func(t agent.Task, n int) map[string]any
	result func(t agent.Task, r *agent.Result) // changes any result

	scanned, built []agent.Task
	notes          []session.Note
	points         []string       // that were passed
	die            func(int) bool // at the n-th of them; nil: never
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root := t.TempDir()
	p := &place{t: t, root: root, state: t.TempDir(), build: func(agent.Task, int) map[string]any { return map[string]any{"summary": "did it"} }}
	gittest.Copy(t, root, gittest.Init+"echo shop > README.md; git add -A; git commit -q -m first")
	p.o = Options{
		Store: durable.New(durable.Config{Dir: filepath.Join(root, ".claude"), FS: quick{}, Now: now, PID: os.Getpid()}), Root: root,
		Gates:        []Gate{{Name: "test", Command: "sh test.sh"}},
		Leaks:        leak.New(leak.Options{Root: p.root}),
		Redact:       func(s string) string { return s },
		CommandSetup: judge.CommandSetup{Environ: os.Environ(), Rooms: rooms.Open(t, root), State: t.TempDir()},
		Tell:         func(n session.Note) { p.notes = append(p.notes, n) },
		Now:          now, Process: step.Process{PID: os.Getpid()},
	}
	p.s = session.GatesStage{Session: "shop", Task: "sell things", TimeLeft: func() (time.Duration, error) { return 0, nil }}
	p.write("test.sh", "exit 0\n")
	return p
}

func (p *place) git(args ...string) {
	p.t.Helper()
	c := exec.Command("git", args...)
	c.Dir = p.root
	if out, err := c.CombinedOutput(); err != nil {
		p.t.Fatalf("git %v: %v %s", args, err, out)
	}
}

func (p *place) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *place) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.root, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// Run is the agents.
func (p *place) Run(_ context.Context, t agent.Task) (agent.Result, error) {
	res := agent.Result{Agent: "fake", End: agent.Done, Usage: agent.Usage{Input: 10, MicroUSD: 1000}}
	var said map[string]any
	switch t.Role {
	case agent.Scan:
		found := []map[string]any{}
		if n := len(p.scanned); n < len(p.scans) {
			found = p.scans[n]
		}
		p.scanned = append(p.scanned, t)
		said = map[string]any{"findings": found}
	default:
		p.built = append(p.built, t)
		said = p.build(t, len(p.built))
	}
	text, err := json.Marshal(said)
	if err != nil {
		return res, err
	}
	if res.JSON, err = lossless.Parse(text); err != nil {
		return res, err
	}
	if p.result != nil {
		p.result(t, &res)
	}
	return res, nil
}

// stage is the loop's stage, as a session would have it: under guard, where there
// is a repository.
func (p *place) stage() session.GatesStage {
	p.t.Helper()
	st := p.s
	remark := func(string, ...any) {}
	g, err := guard.New(guard.Options{Root: p.o.Root, Store: p.o.Store, State: p.state, Now: now, Remark: remark})
	if err == nil {
		st.Guard = g
		if p.base == "" {
			p.base, err = g.Snapshot()
		}
		st.Base = p.base
	} else if errors.Is(err, git.ErrNotRepo) {
		err = nil
	}
	if err != nil {
		p.t.Fatal(err)
	}
	taker := step.Taker{Agents: func(string) (step.Agents, error) { return p, nil }, Guard: st.Guard, Record: func(step.Ran) error { return nil },
		Bounds: &step.Bounds{Spent: func(time.Time) (a budget.Amount) { return a }}, Remark: remark, Redact: p.o.Redact, Now: now}
	st.Ask = func(ctx context.Context, known *step.Memory, s step.Step) (step.Answer, error) {
		t := taker
		t.Memory = known
		s.Scope.Owner, s.Scope.Refs = "session shop", []string{"refs/heads/main"}
		s.Dir = p.o.Root
		return t.Run(ctx, s)
	}
	return st
}

func (p *place) open() *Loop {
	p.t.Helper()
	b, err := New(p.t.Context(), p.o, p.stage())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = b.Close() })
	return b
}

func (p *place) iterate(b *Loop, number int) session.Outcome {
	p.t.Helper()
	out, err := b.Iterate(context.Background(), session.Iteration{Number: number})
	if err != nil {
		p.t.Fatalf("iteration %d: %v", number, err)
	}
	return out
}

// loop iterates until the body says stop.
func (p *place) loop(most int) (outs []session.Outcome) {
	p.t.Helper()
	b := p.open()
	for n := 1; n <= most; n++ {
		outs = append(outs, p.iterate(b, n))
		if outs[n-1].Stop != nil {
			if err := b.Close(); err != nil {
				p.t.Fatal(err)
			}
			return outs
		}
	}
	p.t.Fatalf("no end after %d iterations: %+v", most, outs[len(outs)-1])
	return nil
}

func (p *place) queue() *workqueue.Queue {
	p.t.Helper()
	v, err := durable.Open(p.o.Store, workqueue.File, turnstile.QueueKind).Read()
	if err != nil {
		p.t.Fatal(err)
	}
	return v.Doc
}

func (p *place) item(id string) workqueue.Item {
	p.t.Helper()
	it, err := p.queue().Find(id)
	if err != nil {
		p.t.Fatal(err)
	}
	return *it
}

func (p *place) gate(name string) workqueue.GateResult {
	p.t.Helper()
	r := p.queue().GateResults.Get(name)
	if r == nil {
		p.t.Fatalf("the gate %s has not run: %+v", name, p.queue().GateResults)
	}
	return *r
}

// queued puts an item of a person's into the queue.
func (p *place) queued(title string) {
	p.t.Helper()
	if _, err := durable.Open(p.o.Store, workqueue.File, turnstile.QueueKind).Update(func(tx *durable.Tx[workqueue.Queue]) error {
		if tx.Doc == nil {
			tx.Doc = &workqueue.Queue{}
		}
		tx.Doc.Add(workqueue.Found{Title: title, Source: workqueue.FromPerson})
		return nil
	}); err != nil {
		p.t.Fatal(err)
	}
}

func found(title, priority string) map[string]any {
	return map[string]any{"title": title, "priority": priority}
}

// failing is a test script that names tests as long as a file is missing.
func failing(until string, names ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[ -e %s ] && exit 0\n", until)
	for _, n := range names {
		fmt.Fprintf(&b, "printf -- '--- FAIL: %s (0.00s)\\n    want 3, got 4\\n'\n", n)
	}
	b.WriteString("printf 'FAIL\\nFAIL\\tshop/cart\\t0.01s\\n'\nexit 1\n")
	return b.String()
}

func reason(o session.Outcome) string {
	if o.Stop == nil {
		return ""
	}
	return o.Stop.Reason
}
