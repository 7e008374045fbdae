package agenttest

import (
	"bytes"
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// patience is many times what any agent takes on a machine that is busy.
const patience = 3 * time.Minute

// harness runs a scene under a runner, and keeps what is to be looked at.
type harness struct {
	*testing.T
	scene  Scene
	store  string
	runner *agent.Runner
	mark   string

	mu     sync.Mutex
	seen   map[string]int  // events by kind
	told   map[string]bool // sessions
	spoke  chan struct{}
	once   sync.Once
	watch  func(agent.Event)
	waited []wait
}

type wait struct {
	until time.Time
	why   string
}

func newHarness(t *testing.T, s Scene) *harness {
	t.Helper()
	h := &harness{T: t, scene: s, store: t.TempDir(), mark: "AGENTTEST_MARK=" + rand.Text(), seen: map[string]int{}, told: map[string]bool{}, spoke: make(chan struct{})}
	h.runner = &agent.Runner{
		Adapters: []agent.Adapter{s.Adapter},
		Store:    durable.New(durable.Config{Dir: h.store, Now: time.Now, PID: os.Getpid()}),
		Now:      time.Now, Started: proc.Started, PID: os.Getpid(), Host: "here",
		Environ: append(append([]string{}, s.Environ...), h.mark, "AGENTTEST_API_KEY="+Secret),
		Watch:   h.event, Wait: h.wait,
	}
	t.Cleanup(func() { proc.EndMarked(h.mark) })
	return h
}

func (h *harness) event(_ string, e agent.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[e.Kind]++
	if e.Session != "" {
		h.told[e.Session] = true
	}
	if e.Kind == "text" {
		h.once.Do(func() { close(h.spoke) })
	}
	if h.watch != nil {
		h.watch(e)
	}
}

// wait does not wait: it lets the agent recover.
func (h *harness) wait(ctx context.Context, until time.Time, why string) error {
	h.waited = append(h.waited, wait{until, why})
	if h.scene.Recover != nil {
		h.scene.Recover()
	}
	return ctx.Err()
}

func (h *harness) task() agent.Task {
	t := agent.Task{Role: agent.Code, Prompt: "Do the work.", Dir: h.scene.Dir, Level: 2, Model: h.scene.Model, Timeout: patience, Idle: patience}
	if h.scene.Prompt != "" {
		t.Prompt = h.scene.Prompt
	}
	return t
}

// run runs a task to its end, which must not be an error of the runner.
func (h *harness) run(t agent.Task) agent.Result {
	h.Helper()
	r, err := h.runner.Run(h.Context(), t)
	if err != nil {
		h.Fatalf("running: %v (%+v)", err, r)
	}
	return r
}

// want ends the test unless a run ended so.
func (h *harness) want(r agent.Result, end agent.End) {
	h.Helper()
	if r.End != end {
		log, _ := os.ReadFile(r.Log)
		h.Fatalf("it ended with %q (%s), want %q; exit %d, its output:\n%.4000s", r.End, r.Why, end, r.Exit, log)
	}
}

// begin runs a task and returns once the agent is in the middle of it.
func (h *harness) begin(ctx context.Context, t agent.Task) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		r, err := h.runner.Run(ctx, t)
		done <- outcome{r, err}
	}()
	if h.scene.Underway != nil {
		h.scene.Underway()
		return done
	}
	select {
	case <-h.spoke:
	case o := <-done:
		h.Fatalf("it ended before it was underway: %+v", o)
	}
	return done
}

type outcome struct {
	agent.Result
	err error
}

// pid is the agent's process, from the record that the runner keeps.
func (h *harness) pid() int {
	h.Helper()
	list, err := agent.Running(durable.New(durable.Config{Dir: h.store}))
	if err != nil || len(list) != 1 {
		h.Fatalf("the record of what runs: %v, %v", list, err)
	}
	return list[0].PID
}

// nothingLeft checks that no process of the agent outlived its run.
func (h *harness) nothingLeft() {
	h.Helper()
	if left := proc.EndMarked(h.mark); len(left) > 0 {
		h.Errorf("processes outlived the run: %v", left)
	}
	if list, err := agent.Running(durable.New(durable.Config{Dir: h.store})); err != nil || len(list) > 0 {
		h.Errorf("the record still says that it runs: %v, %v", list, err)
	}
}

// noSecret looks into everything that the runner has written: records, journals
// and the agent's output.
func (h *harness) noSecret() {
	h.Helper()
	err := filepath.WalkDir(h.store, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(Secret)) {
			h.Errorf("the secret is in %s", path)
		}
		return err
	})
	if err != nil {
		h.Error(err)
	}
}

func (h *harness) made() bool {
	_, err := os.Stat(filepath.Join(h.scene.Dir, Made))
	return err == nil
}
