package session

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"warp/internal/core/session"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/git"
)

// marker is what is known of an iteration that is under way: what the work tree
// was like before it, and what its agent answered. Both are files, so that an
// iteration whose engine was killed after the agent had answered is not run again.
// They are written in place, which is cheaper than anything else: one that is torn
// is none, and then it is as if the engine had been killed just before.
type marker struct {
	Iteration int        `json:"iteration"`
	Item      *Item      `json:"item,omitempty"`
	Before    *git.Print `json:"before,omitempty"`
	Output    string     `json:"output,omitempty"` // of output.md, before
	Tree      string     `json:"tree,omitempty"`   // before, where it is to be committed
	Desk      string     `json:"desk,omitempty"`   // where the agent writes its output
	reply     `json:"-"` // is another file
}

// reply is what came of the agent's run.
type reply struct {
	Answer  *answer  `json:"answer,omitempty"`
	Files   []string `json:"files,omitempty"`   // that the agent changed
	Changed bool     `json:"changed,omitempty"` // them, or output.md
	Judged  *judged  `json:"judged,omitempty"`
}

// judged is what a judge said of the iteration; no verdict: it failed.
type judged struct {
	Verdict *session.Verdict `json:"verdict,omitempty"`
	Spent   session.Spent    `json:"spent"`
}

// answer is what is kept of an agent's result.
type answer struct {
	Agent  string          `json:"agent"`
	End    agent.End       `json:"end"`
	Text   string          `json:"text,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Why    string          `json:"why,omitempty"`
	Usage  agent.Usage     `json:"usage"`
	// Invalid is why a result that was given is none.
	Invalid string `json:"invalid,omitempty"`
}

func (r *run) markerFile(i int) string { return filepath.Join(r.folder(i), "iteration.json") }
func (r *run) answerFile(i int) string { return filepath.Join(r.folder(i), "answer.json") }

// answered is the file of an answer.
type answered struct {
	Iteration int `json:"iteration"`
	reply
}

// marked is the marker of an iteration; a fresh one when there is none.
func (r *run) marked(i, iteration int) marker {
	var m marker
	if !read(r.markerFile(i), &m) || m.Iteration != iteration {
		return marker{Iteration: iteration}
	}
	var a answered
	if read(r.answerFile(i), &a) && a.Iteration == iteration {
		m.reply = a.reply
	}
	return m
}

func read(file string, into any) bool {
	text, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(text, into) == nil
}

// mark keeps what is known before the agent is asked.
func (r *run) mark(i int, m marker) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.folder(i), 0o755); err != nil {
		return err
	}
	return os.WriteFile(r.markerFile(i), text, 0o600)
}

// answer keeps what it answered.
func (r *run) answer(i int, m marker) error {
	text, err := json.Marshal(answered{m.Iteration, m.reply})
	if err != nil {
		return err
	}
	if m.Judged != nil { // what is there already must not be lost
		return durable.Jot(r.answerFile(i), text)
	}
	if err := os.WriteFile(r.answerFile(i), text, 0o600); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	// The agent has removed the folder. What was known before it goes with its answer.
	if err := r.mark(i, m); err != nil {
		return err
	}
	return os.WriteFile(r.answerFile(i), text, 0o600)
}

// unmark takes both away, when a stage ends.
func (r *run) unmark(i int) {
	for _, file := range []string{r.markerFile(i), r.answerFile(i)} {
		_ = os.Remove(file) // another iteration's is not taken for this one's
	}
}
