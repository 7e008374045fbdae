package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/workflow"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// How long an agent may take, and be silent; and how long it may go on after it
// has given its result.
const (
	runTime  = 2 * time.Hour
	runIdle  = 30 * time.Minute
	runAfter = 30 * time.Second
)

// answer is what is kept of an agent's result.
type answer struct {
	Agent  string          `json:"agent"`
	End    agent.End       `json:"end"`
	Text   string          `json:"text,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Why    string          `json:"why,omitempty"`
}

// read decodes the structured result; false when there is none.
func (a answer) read(into any) bool {
	return a.End == agent.Done && a.Result != nil && json.Unmarshal(a.Result, into) == nil
}

// memory is what is known of a task, or of the outer loop, that is under way. It is a
// file, so that an agent that has answered before its engine was killed is not
// asked again.
type memory struct {
	run  *run
	task string

	Base    string            `json:"base,omitempty"` // the work tree before it, as a tree
	Head    string            `json:"head,omitempty"` // the commit before it
	Tip     string            `json:"tip,omitempty"`  // what was made of it apart from the main work tree
	Answers map[string]answer `json:"answers,omitempty"`
	Facts   map[string]string `json:"facts,omitempty"` // steps that need no agent, and what came of them
}

func (r *run) remember(task string) (*memory, error) {
	m := &memory{run: r, task: task, Answers: map[string]answer{}, Facts: map[string]string{}}
	text, err := os.ReadFile(m.file())
	switch {
	case errors.Is(err, os.ErrNotExist):
		return m, nil
	case err != nil:
		return nil, err
	}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("reading what is known of task %s: %w", task, err)
	}
	if m.Answers == nil {
		m.Answers = map[string]answer{}
	}
	if m.Facts == nil {
		m.Facts = map[string]string{}
	}
	return m, nil
}

func (m *memory) file() string { return m.run.path(folder + "/task-" + m.task + ".json") }

func (m *memory) save() error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.file()), 0o755); err != nil {
		return err
	}
	return durable.Jot(m.file(), text)
}

func (m *memory) forget() { _ = os.Remove(m.file()) } // of a task that is done, nothing of it is asked

// fact is what a step came to; do finds out where it has not been done.
func (m *memory) fact(step string, do func() (string, error)) (string, error) {
	if was, ok := m.Facts[step]; ok {
		return was, nil
	}
	now, err := do()
	if err != nil {
		return "", err
	}
	m.Facts[step] = now
	return now, m.save()
}

// ask puts a question to an agent, once: what it answered before a crash is its
// answer.
func (m *memory) ask(ctx context.Context, step, kind string, iteration int, name string, t agent.Task) (answer, error) {
	r := m.run
	if a, ok := m.Answers[step]; ok {
		return a, nil
	}
	if err := r.bounds(m.task); err != nil {
		return answer{}, err
	}
	who, err := r.Agents(name)
	if err != nil {
		return answer{}, err
	}
	stamp, _ := proc.Started(r.PID)
	if err := r.update("agent_started", func(s *workflow.State) error {
		s.AgentStarted(workflow.Agent{Type: kind, Task: m.task, Iteration: iteration, Status: workflow.InProgress, PID: r.PID, PIDStamp: stamp}, r.Now())
		return nil
	}); err != nil {
		return answer{}, err
	}
	left := r.now().SafetyBounds
	t.Issue, t.Chunk, t.Level, t.Linger, t.Idle = m.task, iteration, 3, runAfter, runIdle
	t.Timeout = min(runTime, max(time.Second, left.Limits().Time-left.Elapsed()))
	t.Budget = agent.Budget{MicroUSD: max(1, left.Limits().MicroUSD-left.Cost())}
	r.tell(Note{Kind: AgentAsked, Task: m.task, Text: fmt.Sprintf("%s (%s)", kind, t.Role)})
	res, err := who.Run(ctx, t)
	if err == nil && res.End == agent.Unpriced && r.doc.Bounds.MicroUSD == workflow.DefaultLimits.MicroUSD {
		// Nobody has asked for a bound in money, and it cannot be held.
		r.remark("what %s costs is not known: the bound in money does not hold for it", res.Agent)
		t.Budget = agent.Budget{}
		res, err = who.Run(ctx, t)
	}
	if err != nil {
		return answer{}, err
	}
	a := answer{Agent: res.Agent, End: res.End, Text: r.Redact(res.Text), Why: r.Redact(res.Why)}
	if res.JSON != nil {
		a.Result = json.RawMessage(r.Redact(string(lossless.AppendCompact(nil, res.JSON))))
	}
	m.Answers[step] = a
	if err := m.save(); err != nil {
		return a, err
	}
	r.passed("agent_answered")
	return a, r.update("agent_ended", func(s *workflow.State) error {
		s.AgentEnded(kind, m.task)
		s.Spent(s.ID+"/"+m.task+"/"+step, m.task, res.Usage.MicroUSD)
		return nil
	})
}

// bounds pauses the workflow at a bound, and warns before.
func (r *run) bounds(task string) error {
	s := r.now()
	crossed := s.Crossed(task)
	var fresh []workflow.Crossing
	if len(crossed) > 0 {
		if err := r.update("bounds", func(s *workflow.State) error { fresh = s.Warned(crossed); return nil }); err != nil {
			return err
		}
	}
	for _, c := range fresh {
		r.tell(Note{Kind: Warned, Task: task, Text: c.Text})
	}
	for _, c := range crossed {
		if c.Stop() {
			return r.pause(c.Bound, c.Text+"; warp workflow extend allows more, and goes on", task)
		}
	}
	return nil
}
