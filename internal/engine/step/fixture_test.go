package step

import (
	"warp/internal/sys/seal"

	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/testkit/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// desk is where steps are taken: the agent is a function, the clock stands.
type desk struct {
	*testing.T
	dir   string
	now   time.Time
	does  func(agent.Task) (agent.Result, error)
	asked []agent.Task
	rows  []Ran
	said  []string
	spent budget.Amount
}

func newDesk(t *testing.T) *desk {
	return &desk{T: t, dir: gittest.Dir(t), now: time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)}
}

// Run implements Agents.
func (d *desk) Run(_ context.Context, t agent.Task) (agent.Result, error) {
	d.asked = append(d.asked, t)
	if d.does != nil {
		return d.does(t)
	}
	return agent.Result{Agent: "fake", End: agent.Done, Text: fmt.Sprintf("answer %d", len(d.asked)), Usage: agent.Usage{Input: 1, MicroUSD: 1, Priced: true}}, nil
}

// taker makes one as a new process would.
func (d *desk) taker() *Taker {
	d.Helper()
	memory, _, err := Remember(d.store(), filepath.Join(d.dir, "memory", "m.json"), "work")
	d.must(err)
	return &Taker{Agents: func(string) (Agents, error) { return d, nil }, Memory: memory,
		Bounds: &Bounds{Spent: func(time.Time) budget.Amount { return d.spent }},
		Record: func(r Ran) error { d.rows = append(d.rows, r); return nil },
		Remark: func(f string, a ...any) { d.said = append(d.said, fmt.Sprintf(f, a...)) },
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }, Now: func() time.Time { return d.now }}
}

func (d *desk) must(err error) {
	d.Helper()
	gittest.Must(d, err)
}

// run takes a step that must come to an answer.
func (d *desk) run(t *Taker, s Step) Answer {
	d.Helper()
	a, err := t.Run(context.Background(), s)
	d.must(err)
	return a
}

func (d *desk) sh(script string) string {
	d.Helper()
	return gittest.Sh(d, filepath.Join(d.dir, "project"), script)
}

func (d *desk) store() *durable.Store {
	return durable.New(durable.Config{Dir: filepath.Join(d.dir, "project", ".claude"), Now: func() time.Time { return d.now }, PID: os.Getpid(), Signer: d.key()})
}

// guarded makes a repository, and a taker that guards it.
func (d *desk) guarded() *Taker {
	d.Helper()
	root := filepath.Join(d.dir, "project")
	d.must(os.MkdirAll(root, 0o755))
	gittest.Copy(d, root, gittest.Init+`echo .claude/ > .gitignore
echo one > code.txt; git add -A; git commit -qm begin; echo mine > mine.txt`)
	g, err := guard.New(guard.Options{Root: root, Store: d.store(), Now: time.Now, Remark: func(string, ...any) {}})
	d.must(err)
	t := d.taker()
	t.Guard = g
	return t
}

// named is a step that is asked once.
func named(name string) Step {
	return Step{Name: name, Task: agent.Task{Role: agent.Code, Prompt: name}}
}

var errBroken = errors.New("broken")

// key is the user's, outside of the project.
func (d *desk) key() *seal.Key {
	k, err := seal.Open(func(string) string { return "" }, filepath.Join(d.dir, "user"))
	d.must(err)
	return k
}
