package session

import (
	"context"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/step"
)

// taker takes the steps of a unit.
func (r *run) taker(ctx context.Context, i int, g *guard.Guard, b *step.Bounds) *step.Taker {
	t := &step.Taker{Agents: r.Engine.Agents, Guard: g, Bounds: b, Lease: r.lease.Check, Record: r.ran, Remark: r.remark, Redact: r.Redact, Now: r.Now}
	t.Passed = func(point string) {
		if point != "" && point[:3] != "ran" { // what was made of the answer is passed later
			r.passed("agent_ended")
		}
	}
	t.Between = func(paths []string) error { return r.between(ctx, i, paths) }
	return t
}

// ask takes a step of an iteration, and charges it.
func (r *run) ask(ctx context.Context, t *step.Taker, i, number int, s step.Step) (step.Answer, error) {
	s.Issue, s.Chunk, s.Level = r.Name, number, 3
	if s.Dir == "" {
		s.Dir = r.Root
	}
	s.Row = evidence.Run{Work: "session " + r.Name, Chunk: number, Phase: r.units[i].name}
	if t.Guard != nil {
		member := ""
		if t.Guard != r.guard {
			member = r.units[i].name
		}
		documents := s.Scope.Documents
		s.Scope = r.scope(t.Guard, member, r.label(i, number))
		s.Scope.Documents = append(s.Scope.Documents, documents...)
	}
	a, err := t.Run(ctx, s)
	r.charge(i, t.Memory)
	switch {
	case err != nil:
	case a.End == agent.Budgeted && a.Agent == "none": // no agent was asked
		err = &spentError{a.Why}
	case a.End == agent.Unpriced:
		err = &step.StoppedError{Why: a.Why, Do: "start it again without --max-cost, or with --max-tokens or --max-time in its place"}
	}
	return a, err
}

// ran keeps the row of a run.
func (r *run) ran(x step.Ran) error {
	return step.Patiently(func() error { return r.home.AppendSynced(event.Run, x.Evidence(r.Redact)) })
}

// intervened tells what an agent did and may not, and what was done about it.
func (r *run) intervened(f guard.Finding) {
	row := evidence.Intervened{Work: "session " + r.Name, What: f.What, Text: f.Text, Kept: f.Kept}
	if err := step.Patiently(func() error { return r.home.Append(event.Intervened, row) }); err != nil {
		r.remark("keeping what was found: %v", err)
	}
	r.tell(Note{Kind: Intervened, Text: f.Text})
}
