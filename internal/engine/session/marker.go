package session

import (
	"encoding/json"
	"os"
	"path/filepath"

	"warp/internal/core/session"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/git"
)

// marker is what is known of an iteration that is under way: what the work tree
// was like before it, and what its agent answered. It is a file, so that an
// iteration whose engine was killed after the agent had answered is not run again.
type marker struct {
	Iteration int        `json:"iteration"`
	Item      *Item      `json:"item,omitempty"`
	Before    *git.Print `json:"before,omitempty"`
	Output    string     `json:"output,omitempty"` // of output.md, before
	Tree      string     `json:"tree,omitempty"`   // before, where it is to be committed
	Answer    *answer    `json:"answer,omitempty"`
	Files     []string   `json:"files,omitempty"`   // that the agent changed
	Changed   bool       `json:"changed,omitempty"` // them, or output.md
	Judged    *judged    `json:"judged,omitempty"`
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

// marked is the marker of an iteration; a fresh one when there is none.
func (r *run) marked(i, iteration int) marker {
	var m marker
	text, err := os.ReadFile(r.markerFile(i))
	if err != nil || json.Unmarshal(text, &m) != nil || m.Iteration != iteration {
		return marker{Iteration: iteration}
	}
	return m
}

func (r *run) mark(i int, m marker) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.folder(i), 0o755); err != nil {
		return err
	}
	return durable.Jot(r.markerFile(i), text)
}

func (r *run) unmark(i int) { _ = os.Remove(r.markerFile(i)) } // another iteration's is not taken for this one's
