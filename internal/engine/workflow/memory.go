package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"warp/internal/durable"
)

// memory is what is known of a task, or of the outer loop, that is under way. It is a
// file, so that an agent that has answered before its engine was killed is not
// asked again.
type memory struct {
	run  *run
	task string

	Workflow   string            `json:"workflow"`          // what another one knew is of no use
	Point      int               `json:"checkpoint"`        // the checkpoint before it: after going back, there is another
	From       int               `json:"from,omitempty"`    // the iterations before this try
	Base       string            `json:"base,omitempty"`    // the work tree before it, as a tree
	Head       string            `json:"head,omitempty"`    // the commit before it
	Tip        string            `json:"tip,omitempty"`     // what was made of it apart from the main work tree
	Onto       string            `json:"onto,omitempty"`    // the commit that this was put on top of
	Next       string            `json:"next,omitempty"`    // what came of that
	Answers    map[string]answer `json:"answers,omitempty"` // by step
	Facts      map[string]string `json:"facts,omitempty"`   // steps that need no agent, and what came of them
	Unanswered int               `json:"unanswered,omitempty"`
}

// remember finds what is known of a task since a checkpoint. Blank says that it
// is nothing.
func (r *run) remember(task string, point int) (m *memory, blank bool, err error) {
	fresh := &memory{run: r, task: task, Workflow: r.now().ID, Point: point, Answers: map[string]answer{}, Facts: map[string]string{}}
	if p := r.now().Pending(task); p != nil {
		fresh.From = p.Iterations
	}
	text, err := os.ReadFile(fresh.file())
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fresh, true, nil
	case err != nil:
		return nil, false, err
	}
	m = &memory{run: r, task: task, Answers: map[string]answer{}, Facts: map[string]string{}}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, false, fmt.Errorf("reading what is known of task %s: %w; without the file the task begins anew", task, err)
	}
	if m.Workflow != fresh.Workflow || m.Point != point {
		return fresh, true, nil
	}
	return m, false, nil
}

func (m *memory) file() string { return m.run.path(Folder + "/task-" + m.task + ".json") }

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
