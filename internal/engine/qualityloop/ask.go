package qualityloop

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"

	"warp/internal/core/workqueue"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/step"
)

// The steps of an iteration, and what is known of it.
const (
	scan       = "scan"
	build      = "build"
	iteration  = "iteration"
	memoryFile = "state/loop/iteration.json"
)

// marker is what is known of an iteration besides its answers, and of its loop
// where the queue has no place for it. After a power cut it may be gone: the loop
// then begins anew with the items that the queue has.
type marker struct {
	Number    int      `json:"number"`          // of the session's iteration
	Iteration int      `json:"iteration"`       // the queue's
	Fresh     bool     `json:"fresh,omitempty"` // the loop begins with it
	Seen      []string `json:"seen,omitempty"`  // open items that a person was asked to look at
	Given     []string `json:"given,omitempty"` // the items of the build
}

// recall reads what is known of the loop; ok says that there is something.
func (b *Loop) recall() (ok bool, err error) {
	b.m = marker{}
	b.known, _, err = step.Remember(filepath.Join(b.Store.Dir(), filepath.FromSlash(memoryFile)), b.Session+" "+b.Name)
	if err != nil {
		return false, err
	}
	return json.Unmarshal([]byte(b.known.Facts[iteration]), &b.m) == nil, nil
}

func (b *Loop) mark(point string) error {
	text, err := json.Marshal(b.m)
	if err != nil {
		return err
	}
	b.known.Facts[iteration] = string(text)
	if err := b.known.Save(); err != nil {
		return err
	}
	b.passed(point)
	return nil
}

// answered is what an agent said in this iteration; nil: it was not asked.
func (b *Loop) answered(name string) *step.Answer {
	if a, ok := b.known.Answers[name]; ok {
		return &a
	}
	return nil
}

// failed tells whether an agent's run came to nothing.
func (b *Loop) failed() bool { return b.answered(scan).Failed() || b.answered(build).Failed() }

// scan asks what is left to do. An answer that cannot be read is none: it must not
// look like nothing being left.
func (b *Loop) scan(ctx context.Context) (*step.Answer, error) {
	a := b.answered(scan)
	if a == nil {
		got, err := b.ask(ctx, scan, agent.Task{Role: agent.Scan, Prompt: b.assessment(b.q()), ReadOnly: true})
		if err != nil {
			return nil, err
		}
		b.passed("assess_answered")
		a = &got
	}
	if a.End == agent.Done && a.Result == nil {
		a.End, a.Why = agent.Unusable, "the assessment has no result that can be read: "+cmp.Or(a.Invalid, "there is none")
		return a, b.known.Keep(scan, *a)
	}
	return a, nil
}

// work has items done.
func (b *Loop) work(ctx context.Context, items []workqueue.Item, again bool) error {
	_, err := b.ask(ctx, build, agent.Task{Role: agent.Iterate, Prompt: b.assignment(b.q(), items, again), Criteria: b.m.Given})
	return err
}

// ask takes a step. What kept an agent from answering ends the iteration too.
func (b *Loop) ask(ctx context.Context, name string, t agent.Task) (step.Answer, error) {
	t.Model = b.Model
	a, err := b.Ask(ctx, b.known, step.Step{Name: name, Agent: b.Agent, Task: t, Scope: guard.Scope{Documents: []guard.Document{b.doc}}})
	if err == nil && a.Failed() {
		err = b.known.Keep(name, a)
	}
	return a, err
}
