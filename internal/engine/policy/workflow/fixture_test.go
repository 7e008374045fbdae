package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/core/leakscan"
	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	scan "warp/internal/engine/leak"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
	"warp/internal/testkit/gittest"
	"warp/internal/testkit/rooms"
	"warp/internal/turnstile/documents"
)

// step is what each run of an agent costs, and took how long.
const (
	stepCost = 10_000 // a cent
	stepTime = 7 * time.Second
)

// scene is a repository with a workflow, whose agent is a function.
type scene struct {
	*testing.T
	forge.Tracker // what is not used is not there
	root          string
	pid           int
	options       Options
	tests         string   // the test command
	copied        []string // into clean rooms
	approve       func(context.Context, string) (bool, error)
	secrets       func(string) []leakscan.Match
	does          func(t agent.Task) any // nil, or what it returns, is what a good agent does
	passed        func(point string)
	said          []string
	away          func(forge.NewIssue) error // what the tracker says instead of filing
	waits         func()                     // is called when the engine says that it waits
	first         string                     // a commit that a test remembers
	beats         chan time.Time             // nil: none
	runs          time.Time                  // since when the clock runs by itself; zero: it stands

	mu     sync.Mutex
	at     string // where the agent works that is at work
	clock  time.Time
	asked  []agent.Task
	issues []forge.NewIssue
	pulls  []forge.NewPull
}

// result is an agent's structured answer.
type result map[string]any

func TestMain(m *testing.M) {
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		if err := os.Setenv(name, os.DevNull); err != nil {
			panic(err)
		}
	}
	flag.Parse()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue { // each is a whole workflow
		_ = checks.Value.Set(map[bool]string{false: "6", true: "60"}[complete()])
	}
	os.Exit(m.Run())
}

func newScene(t *testing.T, document string, does func(t agent.Task) any) *scene {
	t.Helper()
	root := gittest.LooseDir(t)
	p := &scene{T: t, root: root, does: does, clock: time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC), pid: 1 << 30, options: Options{Level: 3, Parallel: 1}}
	gittest.Copy(t, root, gittest.Init+"echo .claude/ > .gitignore; git add -A; git commit -q -m 'chore: begin'")
	p.write(".claude/task.md", document)
	return p
}

// here is the work tree of the agent that is at work, or the person's.
func (p *scene) here() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return cmp.Or(p.at, p.root)
}

func (p *scene) git(args ...string) string {
	p.Helper()
	out, err := exec.Command("git", append([]string{"-C", p.here()}, args...)...).CombinedOutput()
	if err != nil {
		p.Fatalf("git %v: %s\n%s", args, out, strings.Join(p.said, "\n"))
	}
	return strings.TrimSpace(string(out))
}

func (p *scene) write(name, text string) {
	p.Helper()
	if err := put(filepath.Join(p.here(), name), text); err != nil {
		p.Fatal(err)
	}
}

func put(path, text string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
}

func (p *scene) read(name string) string {
	text, err := os.ReadFile(filepath.Join(p.here(), name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func (p *scene) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.runs.IsZero() {
		return p.clock.Add(time.Since(p.runs))
	}
	return p.clock
}

// pass lets time pass.
func (p *scene) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock = p.clock.Add(d)
}

func (p *scene) store() *durable.Store {
	return durable.New(durable.Config{Dir: filepath.Join(p.root, ".claude"), Now: p.now, PID: p.pid})
}

func (p *scene) engine() *Engine {
	tree, err := gitwrite.Open(p.root)
	if err != nil {
		p.Fatal(err)
	}
	return &Engine{
		Stores: Stores{Store: p.store()}, Trees: Trees{Root: p.root, Work: tree}, Tracker: p,
		Agents: func(string) (step.Agents, error) { return p, nil }, Persons: Persons{Approve: p.approve}, Redact: func(s string) string { return s },
		Now: p.now, Bounds: Bounds{Away: time.Nanosecond, Beats: p.beats}, Process: step.Process{PID: p.pid, Host: "here"}, Options: p.options, Passed: p.passed,
		Checks: Checks{Leaks: scan.New(scan.Options{Scan: p.secrets, Keys: p.secrets, Root: p.root}), Tests: p.tests, Environ: os.Environ(), Rooms: rooms.OpenIn(p, tree, p.copied...)},
		Tell: func(n Note) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.said = append(p.said, n.Kind+" "+n.Task+" "+n.Text)
			if p.waits != nil && strings.HasPrefix(n.Text, "waiting: ") {
				p.waits()
			}
		},
	}
}

// try runs the workflow, or resumes it, in a process of its own.
func (p *scene) try(path string) (*workflowstate.State, error) {
	p.pid++
	return p.engine().Run(p.Context(), path)
}

func (p *scene) document() string { return filepath.Join(p.root, ".claude", "task.md") }

// run takes the workflow to its end.
func (p *scene) run() *workflowstate.State {
	p.Helper()
	s, err := p.try(p.document())
	if err != nil {
		p.Fatalf("%v\n%s", err, strings.Join(p.said, "\n"))
	}
	return s
}

// pauses runs the workflow, or resumes it, and wants it to wait.
func (p *scene) pauses(path, reason string) *workflowstate.State {
	p.Helper()
	s, err := p.try(path)
	var paused *PausedError
	if !errors.As(err, &paused) || paused.Pause.Reason != reason || s.Paused == nil || s.Paused.Reason != reason {
		p.Fatalf("want a pause for %s, got %v\n%s", reason, err, strings.Join(p.said, "\n"))
	}
	return s
}

// completed wants the workflow to be.
func (p *scene) completed(s *workflowstate.State) {
	p.Helper()
	if s.Orchestrator.Status != workflowstate.Completed {
		p.Fatalf("%s: %+v\n%s", s.Orchestrator.Status, s.Failure, strings.Join(p.said, "\n"))
	}
}

func (p *scene) locks() []claim.Lock {
	v, err := durable.Open(p.store(), claim.File, claims).Read()
	if err != nil {
		return nil
	}
	return v.Doc.Locks
}

// extend changes the bounds as a person does.
func (p *scene) extend(l workflowstate.Limits) {
	p.Helper()
	p.change(func(s *workflowstate.State) { s.Extend(fmt.Sprint(l), l) })
}

// change changes the state from outside.
func (p *scene) change(fn func(*workflowstate.State)) {
	p.Helper()
	if _, err := documents.OpenWorkflow(p.store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		fn(tx.Doc)
		return nil
	}); err != nil {
		p.Fatal(err)
	}
}

func (p *scene) wants(got, want any) {
	p.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		p.Errorf("got  %v\nwant %v\n%s", got, want, strings.Join(p.said, "\n"))
	}
}

// roles are what agents were asked to be, for a task.
func (p *scene) roles(task string) (list []string) {
	for _, t := range p.asked {
		if t.Issue == task {
			list = append(list, string(t.Role))
		}
	}
	return list
}

// subjects are the commits since main, or a commit, the oldest first.
func (p *scene) subjects(since string) string {
	return strings.ReplaceAll(p.git("log", "--reverse", "--format=%s", since+".."), "\n", "|")
}

// one is a document of one task, which is not trivial.
const one = "# One\n\n## Outer loop\n- enabled: no\n\n### Phase 1: P\n#### Task 1.1: First\nFiles: a.*\n- [ ] There: `test -s a.txt`\n"

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
