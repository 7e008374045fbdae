package drive

import (
	"context"
	"errors"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/sys/work"
)

// mostConflicts is how often an agent is asked while a branch is rebased: each
// of its commits may conflict.
const mostConflicts = 5

// resolution is what an agent has made of conflicts: tip, on top of target, has
// become next. Files were in conflict.
type resolution struct {
	tip, target, next string
	files             []string
}

// resolveConflicts lets the agent resolve the conflicts of a rebase, one after the other,
// and looks at what comes of it as it does at a chunk. "" says that it is not
// resolved; where that was so before, a person has to.
func (e *merger) resolveConflicts(ctx context.Context, s *drive.State, c *work.Conflict, r resolution) (string, error) {
	for c != nil {
		dir := c.Dir
		if why, enough := e.askedEnough(s); enough {
			_ = e.Work.Abandon(ctx, dir) // warp clean finds it
			return "", needsPerson("rebase the branch by hand, then warp resume", "the branch conflicts with %s in %s, and the agent did not resolve it%s", s.MergeTarget, text.Quote(c.Files, 5), why)
		}
		r.files = append(r.files, c.Files...)
		e.ledger.remark("the branch conflicts with %s in %s: the agent is asked to resolve it", s.MergeTarget, text.Quote(c.Files, 5))
		res, err := e.runner.runAgentIn(ctx, s, dir, agent.Task{Role: agent.Fix, Prompt: conflictPrompt(e.issue, s.MergeTarget, c.Files), Criteria: e.doneCriteria(s)})
		if err != nil {
			return "", errors.Join(err, e.Work.Abandon(context.WithoutCancel(ctx), dir))
		}
		if res.End != agent.Done && !res.Spends() {
			_ = e.Work.Abandon(ctx, dir)
			return "", e.coder.noAgent(s, res)
		}
		if r.next, c, err = e.Work.Resume(ctx, dir); err != nil {
			gone := e.Work.Abandon(context.WithoutCancel(ctx), dir)
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			e.recordMergeGate(s, gateConflict, err.Error(), false)
			return "", gone
		}
	}
	e.ledger.passPoint("resolved")
	return e.examineResolution(ctx, s, r)
}

// doneCriteria are the criteria that the branch is for.
func (e *merger) doneCriteria(s *drive.State) []string {
	return without(s.ToConfirm(drive.RequirementDone), s.SkippedCriteria())
}

// askedEnough tells whether a person has to resolve the conflicts, and why the
// agent's resolution was not taken.
func (e *merger) askedEnough(s *drive.State) (why string, enough bool) {
	page, asked := e.ledger.page(s), 0
	for _, r := range page.Runs {
		if r.Row.Phase == string(drive.Merging) && r.Row.Role == string(agent.Fix) {
			asked++
		}
	}
	if g, ok := evidence.Last(page.Gates, func(g evidence.Gate) bool { return g.Gate == gateConflict && !g.Passed }); ok {
		why = ": " + g.Row.Reason
	}
	last := len(s.History) - 1
	failed := last >= 0 && s.History[last].Event == drive.MergeFailed // else the engine died after it asked
	return why, asked >= mostConflicts || asked > 0 && failed
}
