package flow_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetfile"
	"warp/internal/fleet/flow"
)

var evening = time.Date(2026, 3, 1, 22, 0, 0, 0, time.UTC)

const yaml = `
repositories:
  - {name: x, url: "https://example.invalid/x.git", level: 3}
  - {name: y, url: "https://example.invalid/y.git", level: 3, priority: 2}
pools:
  - {label: linux, slots: 2, accounts: [a, b]}
accounts:
  - {name: a, at_once: 3}
  - {name: b}
`

func file(t testing.TB, more string) fleetfile.File {
	t.Helper()
	f, problems := fleetfile.Parse([]byte(yaml + more))
	if problems != nil {
		t.Fatal(problems)
	}
	return *f
}

// world is workers and their drives, without machines: a drive goes through its phases,
// and what goes wrong on the way is chosen by trouble.
type world struct {
	mu      sync.Mutex
	drives  map[string]*drive
	busy    map[string]int // activities by requirement
	merging map[string]int // by repository
	spent   int64
	allowed int64 // that running steps may spend
	cap     int64
	wrong   []string
	trouble func(d *drive, s flow.Step) error // what happens instead of a step
	log     []string
}

type drive struct {
	id, worker string
	at         int
	attempt    int
	spent      conduct.Spent
	next       *flow.Stepped // instead of the next phase
	answered   []string
	denied     string
}

var phases = []flow.Stepped{{Phase: "planning", Agent: true}, {Phase: "coding", Agent: true}, {Phase: "testing"}, {Phase: "merging"}}

func newWorld() *world {
	return &world{drives: map[string]*drive{}, busy: map[string]int{}, merging: map[string]int{}}
}

func (w *world) fail(format string, args ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// enter begins an activity; leave ends it.
func (w *world) enter(ctx context.Context, of flow.Work, what string) (d *drive, leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := of.Repository.Name + "#" + of.Issue
	if d = w.drives[id]; d == nil {
		d = &drive{id: id}
		w.drives[id] = d
	}
	if w.busy[id]++; w.busy[id] > 1 {
		w.fail("%s has two activities", id)
	}
	if of.Attempt < d.attempt {
		w.fail("%s: attempt %d after %d", id, of.Attempt, d.attempt)
	}
	worker := strings.TrimPrefix(activity.GetInfo(ctx).TaskQueue, "warp-worker:f/")
	w.log = append(w.log, fmt.Sprintf("%s %s on %s", id, what, worker))
	if what == flow.BeginWork {
		if of.Attempt == d.attempt {
			w.fail("%s: attempt %d was begun twice", id, of.Attempt)
		}
		d.worker, d.attempt = worker, of.Attempt
	}
	if d.worker != worker {
		w.fail("%s: %s on %s, begun on %s", id, what, worker, d.worker)
	}
	return d, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.busy[id]--
	}
}

func (w *world) beginWork(ctx context.Context, of flow.Work) (flow.Stepped, error) {
	d, leave := w.enter(ctx, of, flow.BeginWork)
	defer leave()
	return d.stands(), nil
}

func (w *world) leaveWork(ctx context.Context, of flow.Work) error {
	_, leave := w.enter(ctx, of, flow.LeaveWork)
	leave()
	return nil
}

func (w *world) takeStep(ctx context.Context, s flow.Step) (flow.Stepped, error) {
	d, leave := w.enter(ctx, s.Work, flow.TakeStep)
	defer leave()
	w.mu.Lock()
	repo, phase := s.Work.Repository.Name, d.stands()
	w.allowed += s.MicroUSD
	if w.cap > 0 && w.spent+w.allowed > w.cap {
		w.fail("%s: $%d are spent and $%d allowed, of $%d", d.id, w.spent, w.allowed, w.cap)
	}
	if phase.Phase == "merging" {
		if w.merging[repo]++; w.merging[repo] > 1 {
			w.fail("%s: two merge", repo)
		}
	}
	trouble := w.trouble
	w.mu.Unlock()
	var err error
	if trouble != nil {
		err = trouble(d, s)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.allowed -= s.MicroUSD
	if phase.Phase == "merging" {
		w.merging[repo]--
	}
	if s.Answer != nil {
		d.answered = append(d.answered, s.Answer.Question+"="+s.Answer.Text)
	}
	switch {
	case err != nil:
		return flow.Stepped{}, err
	case s.Deny != "":
		d.denied = s.Deny
		return flow.Stepped{Spent: d.spent, Outcome: &conduct.Outcome{Result: "budget", Why: s.Deny}}, nil
	case d.next != nil:
		next := *d.next
		d.next = nil
		next.Spent = d.spent
		return next, nil
	}
	if phase.Agent {
		d.spent.MicroUSD += s.MicroUSD / 2
		d.spent.Tokens += 100
		w.spent += s.MicroUSD / 2
	}
	d.at++
	return d.stands(), nil
}

func (d *drive) stands() flow.Stepped {
	at := flow.Stepped{Outcome: &conduct.Outcome{Result: "merged", Commit: "c" + d.id}}
	if d.at < len(phases) {
		at = phases[d.at]
	}
	at.Spent = d.spent
	return at
}

func lostWorker() error {
	return temporal.NewHeartbeatTimeoutError(flow.Beat{Phase: "coding"})
}

func notTaken() error { return temporal.NewTimeoutError(enums.TIMEOUT_TYPE_SCHEDULE_TO_START, nil) }

func broken(kind string) error {
	return temporal.NewNonRetryableApplicationError(kind+" it is", kind, nil)
}

// night runs a fleet in the world: what happens is told by time since its beginning. It
// ends after a day.
func night(t testing.TB, w *world, s flow.FleetState, happens func(*testsuite.TestWorkflowEnvironment)) (*testsuite.TestWorkflowEnvironment, flow.FleetStatus) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(silent{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(evening)
	env.SetDetachedChildWait(false)
	env.SetTestTimeout(time.Minute)
	env.SetWorkerOptions(worker.Options{DeadlockDetectionTimeout: time.Minute}) // a full fleet takes seconds on a busy machine
	flow.Register(env)
	env.RegisterActivityWithOptions(w.beginWork, activity.RegisterOptions{Name: flow.BeginWork})
	env.RegisterActivityWithOptions(w.takeStep, activity.RegisterOptions{Name: flow.TakeStep})
	env.RegisterActivityWithOptions(w.leaveWork, activity.RegisterOptions{Name: flow.LeaveWork})
	s.Name, s.Terms.Silence = "f", 1000*time.Hour
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: flow.FleetID("f"), TaskQueue: flow.FlowQueue("f")})
	if happens != nil {
		happens(env)
	}
	var status flow.FleetStatus
	env.RegisterDelayedCallback(func() {
		ask(t, env, flow.FleetID("f"), &status)
		env.CancelWorkflow()
	}, 24*time.Hour)
	env.ExecuteWorkflow(flow.FleetFlow, s)
	for _, wrong := range w.wrong {
		t.Error(wrong)
	}
	return env, status
}

func ask(t testing.TB, env *testsuite.TestWorkflowEnvironment, id string, into any) {
	t.Helper()
	v, err := env.QueryWorkflowByID(id, flow.Status)
	if err == nil {
		err = v.Get(into)
	}
	if err != nil {
		t.Error(id, err)
	}
}

// at has something happen.
func at(env *testsuite.TestWorkflowEnvironment, d time.Duration, signal string, v any) {
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(signal, v) }, d)
}

func hello(name string) flow.WorkerInfo { return flow.WorkerInfo{Name: name, Pool: "linux"} }

func submissions(repo string, count int) (list []flow.Submission) {
	for n := range count {
		list = append(list, flow.Submission{Repo: repo, Issue: fmt.Sprint(n + 1)})
	}
	return list
}

// silent drops what the SDK logs.
type silent struct{}

func (silent) Debug(string, ...any) {}
func (silent) Info(string, ...any)  {}
func (silent) Warn(string, ...any)  {}
func (silent) Error(string, ...any) {}
