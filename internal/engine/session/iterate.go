package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/session"
	"warp/internal/engine/agent"
	"warp/internal/sys/git"
)

// How long an agent may take, and be silent; and how long it may go on after it
// has given its result.
const (
	runTime  = 2 * time.Hour
	runIdle  = 30 * time.Minute
	runAfter = 30 * time.Second
)

// iterating is the body of an ordinary loop: one agent, with a fresh context.
type iterating struct {
	*run
	unit   int
	dir    string
	until  session.Until
	queue  Queue // nil: there is none
	member bool  // of a parallel stage: it works in a work tree of its own
	// seen is the work tree after the last iteration, where nothing can have
	// changed it since.
	seen *git.Print
}

// Iterate runs the agent, unless it has answered before the engine was killed,
// and finds out what it did.
func (b *iterating) Iterate(ctx context.Context, it Iteration) (Outcome, error) {
	m := b.marked(b.unit, it.Number)
	if err := b.prepare(ctx, &m); err != nil {
		return Outcome{}, err
	}
	if m.Answer == nil {
		res, err := b.ask(ctx, it, m)
		if err != nil {
			return Outcome{}, err
		}
		m.Answer = keep(res)
		if err := b.fetch(m); err != nil {
			return Outcome{}, err
		}
		// What happens from here on is not the agent's doing.
		if m.Files, err = b.changed(ctx, m); err != nil {
			return Outcome{}, err
		}
		m.Changed = len(m.Files) > 0 || b.output() != m.Output
		if err := b.answer(b.unit, m); err != nil {
			return Outcome{}, err
		}
		m.leaveDesk()
		b.passed("agent_answered")
	}
	return b.weigh(ctx, it, m)
}

// prepare looks at everything that is compared afterwards, and takes an item.
func (b *iterating) prepare(ctx context.Context, m *marker) (err error) {
	if b.member {
		if b.dir, err = b.apart(ctx, b.unit); err != nil {
			return err
		}
	}
	if m.Answer != nil {
		return nil
	}
	if m.Before != nil { // as it was before the first try
		was := m.Desk
		if err := b.sit(m); err != nil || m.Desk == was {
			return err
		}
		return b.mark(b.unit, *m)
	}
	if b.queue != nil {
		ready, _, err := b.queue.Ready(ctx)
		if err != nil {
			return err
		}
		if ready = b.fresh(ready); len(ready) > 0 {
			m.Item = &ready[0]
			if err := b.queue.Claim(ctx, m.Item.ID); err != nil {
				return err
			}
		}
	}
	if m.Before = b.seen; m.Before == nil {
		p, err := b.look(ctx)
		if err != nil {
			return err
		}
		m.Before = &p
	}
	b.seen, m.Output = nil, b.output()
	if b.units[b.unit].stage.Commit && b.print != nil && !b.member {
		if m.Tree, err = b.snapshot(); err != nil {
			return err
		}
	}
	if err := b.sit(m); err != nil {
		return err
	}
	if err := b.mark(b.unit, *m); err != nil {
		return err
	}
	b.passed("iteration_marked")
	return nil
}

// look takes a print of the work tree; an empty one where there is no repository.
func (b *iterating) look(ctx context.Context) (git.Print, error) {
	switch {
	case b.print == nil:
		return git.Print{}, nil
	case b.dir == b.Root:
		return b.print.Print(ctx)
	}
	p, err := git.NewPrinter(b.dir, ".claude")
	if err != nil {
		return git.Print{}, err
	}
	return p.Print(ctx)
}

// output is a print of output.md, which may be all that an agent changes.
func (b *iterating) output() string {
	text, err := os.ReadFile(b.outputFile(b.unit))
	if err != nil {
		return ""
	}
	return sum(text)
}

func sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func (b *iterating) ask(ctx context.Context, it Iteration, m marker) (agent.Result, error) {
	stage := b.units[b.unit].stage
	who, err := b.Engine.Agents(stage.Agent)
	if err != nil {
		return agent.Result{}, err
	}
	left := runTime
	if stage.MaxTime > 0 {
		left = min(left, max(time.Second, stage.MaxTime-b.now().Facts(b.unit, b.Now()).Elapsed))
	}
	return who.Run(ctx, agent.Task{
		Role: agent.Iterate, Prompt: b.prompt(it, m), Dir: b.dir, Issue: b.Name, Chunk: it.Number, Criteria: given(m.Item), Level: 3, Model: stage.Model,
		Budget: agent.Budget{MicroUSD: it.Most.MicroUSD, Tokens: it.Most.Tokens}, Idle: runIdle, Timeout: left, Linger: runAfter,
	})
}

func given(i *Item) []string {
	if i == nil {
		return nil
	}
	return []string{i.ID}
}

func keep(res agent.Result) *answer {
	a := &answer{Agent: res.Agent, End: res.End, Text: res.Text, Why: res.Why, Usage: res.Usage, Invalid: res.Invalid}
	if res.JSON != nil {
		a.Result = json.RawMessage(lossless.AppendCompact(nil, res.JSON))
	}
	return a
}

// weigh holds what the agent says against what can be seen.
func (b *iterating) weigh(ctx context.Context, it Iteration, m marker) (Outcome, error) {
	a := m.Answer
	out := Outcome{Spent: session.Spent{MicroUSD: a.Usage.MicroUSD, Tokens: a.Usage.Tokens()}, Row: session.Row{Agent: a.Agent}}
	if m.Item != nil {
		out.Row.Item = m.Item.ID
	}
	out.Files, out.Row.Changed = m.Files, m.Changed
	said := a.said()
	out.Row.Summary, out.Row.Plateau, out.Row.Reasoning = b.Redact(said.Summary), said.Plateau, b.Redact(said.Reasoning)
	for _, l := range said.Learnings {
		out.Learnings = append(out.Learnings, b.Redact(l))
	}
	if a.End != agent.Done {
		out.Row.End, out.Row.Summary = string(a.End), b.Redact(a.Why)
		return out, b.giveBack(ctx, m.Item)
	}
	if err := b.leave(a); err != nil {
		return out, err
	}
	ok, err := b.check(ctx, it, &m, &out)
	if err != nil {
		return out, err
	}
	if q, ok := b.queue.(Finder); ok && len(said.Found) > 0 {
		if err := q.Add(ctx, said.Found); err != nil {
			return out, err
		}
	}
	if m.Item != nil {
		if err := b.finish(ctx, *m.Item, ok && slices.Contains(said.Items, m.Item.ID), &out); err != nil {
			return out, err
		}
	} else {
		out.Row.Items = slices.DeleteFunc(said.Items, func(id string) bool { return strings.TrimSpace(id) == "" })
	}
	return out, b.judge(ctx, it, &m, &out)
}

// changed lists the files that are not as they were before the iteration.
func (b *iterating) changed(ctx context.Context, m marker) ([]string, error) {
	now, err := b.look(ctx)
	if err != nil || m.Before == nil {
		return nil, err
	}
	if b.settled() {
		b.seen = &now
	}
	files, moved := now.Since(*m.Before)
	if moved && b.print != nil && git.IsHash(m.Before.Head) && git.IsHash(now.Head) {
		repo, err := git.Open(b.dir)
		if err != nil {
			return nil, err
		}
		list, err := repo.Changes(m.Before.Head, now.Head)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			files = append(files, c.Path)
		}
		slices.Sort(files)
		files = slices.Compact(files)
	}
	return files, nil
}

// settled tells whether nothing of ours happens between two iterations that may
// change the work tree, and no time passes.
func (b *iterating) settled() bool {
	s := b.units[b.unit].stage
	return len(b.units) == 1 && len(b.checks()) == 0 && !s.Commit && s.Judge == nil && s.Delay == 0 && b.queue == nil
}

// leave writes the agent's words as its output where it has written none.
func (b *iterating) leave(a *answer) error {
	words := strings.TrimSpace(a.Text)
	if json.Valid([]byte(words)) { // its result is no text for the next stage
		words = strings.TrimSpace(a.said().Summary)
	}
	if b.output() != "" || words == "" {
		return nil
	}
	return os.WriteFile(b.outputFile(b.unit), []byte(b.Redact(words)+"\n"), 0o644)
}
