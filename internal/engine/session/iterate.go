package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/session"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/step"
)

// iterating is the body of an ordinary loop: one agent, with a fresh context.
type iterating struct {
	*run
	rules
	unit  int
	dir   string
	taker *step.Taker
}

// opening is what is known before the agent of an iteration is asked, as it was
// before its first try.
type opening struct {
	Item   *Item    `json:"item,omitempty"`
	Output string   `json:"output,omitempty"` // a print of output.md
	Tree   string   `json:"tree,omitempty"`   // the work tree, where it is checked afterwards
	Head   string   `json:"head,omitempty"`   // the commit that is checked out, where one is made
	Desk   string   `json:"desk,omitempty"`   // where the agent writes its output
	Left   []string `json:"left,omitempty"`   // what a try changed whose engine was killed
}

// The names of an iteration's steps and facts.
const (
	opened  = "opening"
	iterate = "iterate"
	fetched = "fetched"
	judging = "judge"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Iterate runs the agent, unless it has answered before the engine was killed,
// and finds out what it did.
func (b *iterating) Iterate(ctx context.Context, it Iteration) (Outcome, error) {
	if b.units[b.unit].member != nil && b.guard != nil {
		g, err := b.apart(ctx, b.unit)
		if err != nil {
			return Outcome{}, err
		}
		b.dir, b.taker = g.Root, b.run.taker(ctx, b.unit, g, b.taker.Bounds)
	}
	m, _, err := step.Remember(b.memoryFile(b.unit), fmt.Sprintf("%s %s %d", b.Name, b.units[b.unit].name, it.Number))
	if err != nil {
		return Outcome{}, err
	}
	b.taker.Memory = m
	o, err := b.prepare(ctx, it, m)
	if err != nil {
		return Outcome{}, err
	}
	stage := b.units[b.unit].stage
	s := step.Step{Name: iterate, Agent: stage.Agent, Task: agent.Task{Role: agent.Iterate, Prompt: b.prompt(it, o), Dir: b.dir, Criteria: given(o.Item), Model: stage.Model}}
	if q, ok := b.queue.(guard.Document); ok {
		s.Scope.Documents = []guard.Document{q}
	}
	a, err := b.ask(ctx, b.taker, b.unit, it.Number, s)
	if err != nil {
		return Outcome{}, err
	}
	wrote, err := step.Found(m, fetched, func() (bool, error) {
		err := b.fetch(o)
		return b.output() != o.Output, err
	})
	if err != nil {
		return Outcome{}, err
	}
	o.leaveDesk()
	b.passed("agent_answered")
	return b.weigh(ctx, it, o, a, wrote)
}

// prepare looks at everything that is compared afterwards, and takes an item.
func (b *iterating) prepare(ctx context.Context, it Iteration, m *step.Memory) (opening, error) {
	_, known := m.Facts[opened]
	o, err := step.Found(m, opened, func() (opening, error) { return b.look(ctx) })
	if err != nil {
		return o, err
	}
	if !known {
		b.passed("iteration_marked")
		return o, nil
	}
	if _, answered := m.Answers[iterate]; answered {
		return o, nil
	}
	desk := o.Desk
	if err := b.sit(&o); err != nil {
		return o, err
	}
	// What a killed try left in the work tree is this iteration's work.
	if g := b.taker.Guard; g != nil && g.Left != nil && g.Left.Label == b.label(b.unit, it.Number) {
		o.Left = slices.Concat(o.Left, g.Left.Changed)
		g.Left = nil
	} else if o.Desk == desk {
		return o, nil
	}
	text, err := json.Marshal(o)
	if err != nil {
		return o, err
	}
	m.Facts[opened] = string(text)
	return o, m.Save()
}

func (b *iterating) look(ctx context.Context) (o opening, err error) {
	if b.queue != nil {
		ready, _, err := b.queue.Ready(ctx)
		if err != nil {
			return o, err
		}
		if ready = b.fresh(ready); len(ready) > 0 {
			o.Item = &ready[0]
			if err := b.queue.Claim(ctx, o.Item.ID); err != nil {
				return o, err
			}
		}
	}
	o.Output = b.output()
	if g := b.taker.Guard; g != nil && b.judged(b.unit, b.until) {
		if o.Tree, err = g.Snapshot(); err == nil {
			o.Head, err = g.Work.Repo().Head()
		}
		if err != nil {
			return o, err
		}
	}
	return o, b.sit(&o)
}

// output is a print of output.md, which may be all that an agent changes.
func (b *iterating) output() string {
	text, err := os.ReadFile(b.outputFile(b.unit))
	if err != nil {
		return ""
	}
	return sum(text)
}

func given(i *Item) []string {
	if i == nil {
		return nil
	}
	return []string{i.ID}
}

// weigh holds what the agent says against what can be seen.
func (b *iterating) weigh(ctx context.Context, it Iteration, o opening, a step.Answer, wrote bool) (Outcome, error) {
	out := Outcome{Spent: cost(a), Row: session.Row{Agent: a.Agent}}
	if o.Item != nil {
		out.Row.Item = o.Item.ID
	}
	out.Files = slices.Compact(slices.Sorted(slices.Values(slices.Concat(o.Left, a.Changed))))
	out.Row.Changed = len(out.Files)+len(a.Yours) > 0 || wrote
	said := ReportOf(a)
	out.Row.Summary, out.Row.Plateau, out.Row.Reasoning, out.Learnings = said.Summary, said.Plateau, said.Reasoning, said.Learnings
	if a.End != agent.Done {
		out.Row.End, out.Row.Summary = string(a.End), a.Why
		return out, b.giveBack(ctx, o.Item)
	}
	if err := b.leave(a, said); err != nil {
		return out, err
	}
	ok, err := b.check(ctx, it, o, &out)
	if err != nil {
		return out, err
	}
	if q, ok := b.queue.(Finder); ok && len(said.Found) > 0 {
		if err := q.Add(ctx, said.Found); err != nil {
			return out, err
		}
	}
	if o.Item != nil {
		if err := b.finish(ctx, *o.Item, ok && slices.Contains(said.Done, o.Item.ID), &out); err != nil {
			return out, err
		}
	} else {
		out.Row.Items = slices.DeleteFunc(said.Done, func(id string) bool { return strings.TrimSpace(id) == "" })
	}
	return out, b.judge(ctx, it, &out)
}

// leave writes the agent's words as its output where it has written none.
func (b *iterating) leave(a step.Answer, said Report) error {
	words := strings.TrimSpace(a.Text)
	if json.Valid([]byte(words)) { // its result is no text for the next stage
		words = strings.TrimSpace(said.Summary)
	}
	if b.output() != "" || words == "" {
		return nil
	}
	return os.WriteFile(b.outputFile(b.unit), []byte(words+"\n"), 0o644)
}
