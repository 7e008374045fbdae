package workflow

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// Whatever the graph of tasks and whatever agents fail at: a task begins when all
// that it depends on is done, the claims of tasks that are at work at once never
// overlap, and no bound is passed by more than the step that an agent is at.
//
// Everything is the engine's own but git: what a task did is not committed.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		defer w.close()
		for range 200 {
			err := w.drive()
			if err == nil {
				w.ended()
				return
			}
			var paused *PausedError
			if !errors.As(err, &paused) {
				t.Fatal(err)
			}
			w.extend(paused.Pause.Reason)
		}
		t.Fatal("it never ends")
	})
}

// world is where random graphs are run: agents fail as a number says.
type world struct {
	t     *rapid.T
	dir   string
	r     *run
	tasks map[string]taskdoc.Task
	seed  int
	most  int64 // micro-dollars that a step may cost beyond its budget
	rough int   // of ten runs so many fail

	mu      sync.Mutex
	clock   time.Time
	running map[string]bool
	limit   int64
	bad     []string
}

// lazy is the file system, whose power is never cut.
type lazy struct{ durable.OS }

type lazyFile struct{ durable.File }

func (lazyFile) Sync() error { return nil }

func (l lazy) SyncDir(string) error { return nil }

func (l lazy) Open(name string, flag int, perm os.FileMode) (durable.File, error) {
	f, err := l.OS.Open(name, flag, perm)
	return lazyFile{f}, err
}

func newWorld(t *rapid.T) *world {
	dir, err := os.MkdirTemp("", "graph")
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, seed: rapid.Int().Draw(t, "seed"), most: 50_000, tasks: map[string]taskdoc.Task{}, running: map[string]bool{}, clock: time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)}
	w.rough = rapid.IntRange(0, 6).Draw(t, "failures of ten")
	doc := graph(t)
	p := workflowstate.Plan{ID: "x", TaskDoc: "x", Phases: len(doc.Phases), Limits: workflowstate.Limits{Iterations: doc.Bounds.Iterations, MicroUSD: doc.Bounds.MicroUSD, Time: doc.Bounds.Time}}
	for _, x := range doc.Tasks() {
		w.tasks[x.ID] = x
		p.Tasks = append(p.Tasks, workflowstate.Planned{Phase: x.Phase, Task: x.ID, Name: x.Name})
	}
	now := func() time.Time { w.mu.Lock(); defer w.mu.Unlock(); return w.clock }
	e := &Engine{Stores: Stores{Store: durable.New(durable.Config{Dir: filepath.Join(dir, ".claude"), FS: lazy{}, Now: now})}, Trees: Trees{Root: dir}, Redact: func(s string) string { return s },
		Agents: func(string) (step.Agents, error) { return w, nil }, Now: now, Process: step.Process{PID: os.Getpid(), Host: "here"}, Options: Options{Parallel: rapid.IntRange(1, 4).Draw(t, "parallel")}}
	w.r = e.newRun()
	w.r.home = &site{run: w.r, dir: dir} // without a repository
	w.r.document.Store(doc)
	w.r.state.Set(workflowstate.Begin(p, now()))
	if err := w.r.state.Update("began", func(s *workflowstate.State) error { return s.Fire(workflowstate.PlanApproved, "", "", now()) }); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) close() {
	_ = os.RemoveAll(w.dir)
}

// drive goes through the phases, as executing does.
func (w *world) drive() error {
	w.limit = w.r.now().SafetyBounds.Limits().MicroUSD
	w.r.bounds = w.r.newBounds()
	for i := range w.r.plan().Phases {
		if err := w.r.record("phase_began", func(s *workflowstate.State) { s.PhaseBegun(i) }); err != nil {
			return err
		}
		if err := (phases{w.r}).runReadyTasks(context.Background(), i, w.batch); err != nil {
			return err
		}
	}
	return nil
}

// batch is the engine's, but for what has to do with git.
func (w *world) batch(ctx context.Context, list []taskdoc.Task) error {
	w.r.bounds.Share(len(list))
	jobs, errs := make([]*job, len(list)), make([]error, len(list))
	for i, t := range list {
		j, err := w.r.beginTask(t, 0)
		if err != nil {
			return err
		}
		j.mem.Facts[factBase] = noTree
		jobs[i] = j
	}
	var wait sync.WaitGroup
	for i, j := range jobs {
		wait.Go(func() {
			met, err := loop{j}.iterate(ctx)
			if errs[i] = err; err == nil {
				errs[i] = j.recordDone(met, "", nil)
			}
		})
	}
	wait.Wait()
	return mostSevere(errs)
}

// Run implements Agents: it looks whether it may run at all, and fails as a number
// says.
func (w *world) Run(_ context.Context, t agent.Task) (agent.Result, error) {
	w.begins(t)
	defer func() { w.mu.Lock(); delete(w.running, t.Issue); w.mu.Unlock() }()
	h := fnv.New64a()
	fmt.Fprint(h, w.seed, t.Issue, t.Chunk, w.r.now().SafetyBounds.MicroUSD)
	n := h.Sum64()
	res := agent.Result{End: agent.Done, Usage: agent.Usage{MicroUSD: min(int64(n>>8%200_000), t.Budget.MicroUSD)}}
	if res.Usage.MicroUSD == t.Budget.MicroUSD {
		res.End, res.Usage.MicroUSD = agent.Budgeted, t.Budget.MicroUSD+int64(n>>16)%w.most // it is noticed one step late
	} else if int(n%10) < w.rough {
		res.End = []agent.End{agent.Crashed, agent.TimedOut, agent.Unusable, agent.Limited}[n>>4%4]
	}
	w.mu.Lock()
	w.clock = w.clock.Add(min(t.Timeout, time.Duration(n>>24%30)*time.Second))
	w.mu.Unlock()
	return res, nil
}

// begins holds the moment in which an agent begins against what must be so.
func (w *world) begins(t agent.Task) {
	s := w.r.now()
	task := w.tasks[t.Issue]
	v, err := w.r.locks.Doc.Read()
	w.mu.Lock()
	defer w.mu.Unlock()
	complain := func(format string, args ...any) { w.bad = append(w.bad, fmt.Sprintf(format, args...)) }
	for _, on := range task.DependsOn {
		if !s.CompletedTasks.Has(on) {
			complain("%s began before %s was done", t.Issue, on)
		}
	}
	for _, p := range s.PendingTasks {
		if p.Phase < task.Phase {
			complain("%s began before phase %d was finished", t.Issue, p.Phase)
		}
	}
	for other := range w.running {
		if claim.Overlap(task.Files, w.tasks[other].Files) {
			complain("%s and %s run at once", t.Issue, other)
		}
	}
	if err != nil || !slices.ContainsFunc(v.Doc.Locks, func(l claim.Lock) bool { return l.Task == t.Issue && l.Living(w.clock) }) {
		complain("%s has claimed nothing (%v)", t.Issue, err)
	}
	if spent := s.SafetyBounds.Cost(); w.r.Parallel == 1 && spent+t.Budget.MicroUSD > w.limit {
		complain("%s may spend %d of %d when %d are spent", t.Issue, t.Budget.MicroUSD, w.limit, spent)
	}
	if n := s.PendingTasks.Find(t.Issue).Iterations; n >= s.SafetyBounds.MaxIterations {
		complain("%s has had %d iterations", t.Issue, n)
	}
	w.running[t.Issue] = true
}

// extend does what a person does about a pause. Until then no bound was passed by
// more than a step of each agent that was at work.
func (w *world) extend(reason string) {
	s := w.r.now()
	if over := s.SafetyBounds.Cost() - w.limit; over > w.most*int64(w.r.Parallel) {
		w.t.Fatalf("%d too much", over)
	}
	if over := s.SafetyBounds.Elapsed() - s.SafetyBounds.Limits().Time; over > time.Duration(w.r.Parallel)*30*time.Second {
		w.t.Fatalf("%s too long", over)
	}
	more := map[string]workflowstate.Limits{workflowstate.PausedCost: {MicroUSD: 1e6}, workflowstate.PausedTime: {Time: time.Hour}, workflowstate.PausedIterations: {Iterations: 2}}[reason]
	err := errors.Join(w.r.freeClaims(), w.r.record("extended", func(s *workflowstate.State) {
		s.Extend(w.clock.String()+reason, more)
		s.Resume()
	}))
	w.rough = max(0, w.rough-1)
	w.ok(err)
}

func (w *world) ok(err error) {
	if err != nil || len(w.bad) > 0 {
		w.t.Fatal(err, strings.Join(w.bad, "\n"))
	}
}

// ended holds the end against what must be so.
func (w *world) ended() {
	w.ok(nil)
	s := w.r.now()
	done := map[string]bool{}
	var sum int64
	for _, d := range s.CompletedTasks {
		done[d.Task], sum = true, sum+d.MicroUSD
	}
	if len(s.PendingTasks) > 0 || len(done) != len(w.tasks) || len(s.ActiveAgents) > 0 || sum != s.SafetyBounds.Cost() {
		w.t.Fatal(len(s.PendingTasks), slices.Sorted(maps.Keys(done)), s.ActiveAgents, sum, s.SafetyBounds.Cost())
	}
	if v, err := w.r.locks.Doc.Read(); err != nil || len(v.Doc.Locks) > 0 {
		w.t.Fatal(err, v.Doc)
	}
}
