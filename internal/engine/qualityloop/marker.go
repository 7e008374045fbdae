package qualityloop

import (
	"encoding/json"
	"os"
	"path/filepath"

	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/git"
)

const markerFile = "state/loop/iteration.json"

// marker is what is known of an iteration that is under way, and of its session
// where the queue has no place for it. After a power cut it may be gone: the loop
// then begins anew with the items that the queue has.
type marker struct {
	Session   string     `json:"session"`
	Stage     string     `json:"stage,omitempty"`
	Number    int        `json:"number"`          // of the session's iteration
	Iteration int        `json:"iteration"`       // the queue's
	Fresh     bool       `json:"fresh,omitempty"` // the loop begins with it
	Base      string     `json:"base,omitempty"`  // the work tree before the loop, as a tree
	Seen      []string   `json:"seen,omitempty"`  // open items that a person was asked to look at
	Assess    *answer    `json:"assess,omitempty"`
	Given     []string   `json:"given,omitempty"`  // the items of the build
	Before    *git.Print `json:"before,omitempty"` // it
	Build     *answer    `json:"build,omitempty"`
}

// answer is what is kept of an agent's result.
type answer struct {
	Agent  string          `json:"agent"`
	End    agent.End       `json:"end"`
	Text   string          `json:"text,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Why    string          `json:"why,omitempty"`
	Usage  agent.Usage     `json:"usage"`
}

func answered(res agent.Result) *answer {
	a := &answer{Agent: res.Agent, End: res.End, Text: res.Text, Why: res.Why, Usage: res.Usage}
	if res.JSON != nil {
		a.Result = json.RawMessage(lossless.AppendCompact(nil, res.JSON))
	}
	return a
}

// failed tells an answer that came to nothing.
func (a *answer) failed() bool { return a != nil && a.End != agent.Done }

// said is what an agent told of what it built.
type said struct {
	Summary   string   `json:"summary"`
	Done      []string `json:"items_completed"`
	Found     []string `json:"items"` // work that it came across
	Learnings []string `json:"learnings"`
	Lessons   []string `json:"lessons"`
}

// said reads an agent's result. Without one its words are all that is known, and
// they claim nothing.
func (a *answer) said() (s said) {
	if a == nil || a.failed() {
		return s
	}
	if a.Result == nil || json.Unmarshal(a.Result, &s) != nil {
		return said{Summary: a.Text}
	}
	s.Learnings = append(s.Learnings, s.Lessons...)
	return s
}

// marked reads the marker; an empty one where there is none.
func (b *Loop) marked() (m marker) {
	text, err := os.ReadFile(b.path(markerFile))
	if err != nil || json.Unmarshal(text, &m) != nil {
		return marker{}
	}
	return m
}

func (b *Loop) mark(point string) error {
	text, err := json.Marshal(b.m)
	if err != nil {
		return err
	}
	path := b.path(markerFile)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := durable.Jot(path, text); err != nil {
		return err
	}
	b.passed(point)
	return nil
}
