package drive

import (
	"context"
	"errors"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/sys/work"
)

const (
	// mostConflicts is how often an agent is asked while a branch is rebased: each
	// of its commits may conflict.
	mostConflicts = 5
	// gateConflict is the gate that what an agent made of a conflict has to pass.
	gateConflict = "conflict resolution"
)

// resolveConflicts lets the agent resolve the conflicts of a rebase, one after the other,
// and returns the files. Next is "" where it did not; where that was so before, a
// person has to.
func resolveConflicts(ctx context.Context, t *turn, c *work.Conflict, r *land.Rebased) (files []string, err error) {
	for c != nil {
		dir := c.Dir
		abandon := func() error { return t.Work.Abandon(context.WithoutCancel(ctx), dir) } // warp clean finds what is left
		if why, enough := askedEnough(t); enough {
			_ = abandon()
			return nil, needsPerson("rebase the branch by hand, then warp resume", "the branch conflicts with %s in %s, and the agent did not resolve it%s", t.s.MergeTarget, text.Quote(c.Files, 5), why)
		}
		files = append(files, c.Files...)
		t.remark("the branch conflicts with %s in %s: the agent is asked to resolve it", t.s.MergeTarget, text.Quote(c.Files, 5))
		if _, err := askAgent(ctx, t, dir, agent.Task{Role: agent.Fix, Prompt: conflictPrompt(t.issue, t.s.MergeTarget, c.Files), Criteria: doneCriteria(t.s)}); err != nil {
			return nil, errors.Join(err, abandon())
		}
		if r.Next, c, err = t.Work.Resume(ctx, dir); err != nil {
			gone := abandon()
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			recordMergeGate(t, gateConflict, err.Error(), false)
			r.Next = ""
			return nil, gone
		}
	}
	t.pass("resolved")
	return files, nil
}

// askedEnough tells whether a person has to resolve the conflicts, and why the
// agent's resolution was not taken.
func askedEnough(t *turn) (why string, enough bool) {
	page, asked := t.page(t.s), 0
	for _, r := range page.Runs {
		if r.Row.Phase == string(drive.Merging) && r.Row.Role == string(agent.Fix) {
			asked++
		}
	}
	if g, ok := evidence.Last(page.Gates, func(g evidence.Gate) bool { return g.Gate == gateConflict && !g.Passed }); ok {
		why = ": " + g.Row.Reason
	}
	last := len(t.s.History) - 1
	failed := last >= 0 && t.s.History[last].Event == drive.MergeFailed // else the engine died after it asked
	return why, asked >= mostConflicts || asked > 0 && failed
}

// examineResolution looks at what an agent made of a conflict as it does at a chunk,
// and tells whether it may be merged. What may not is kept, and nothing more.
func examineResolution(ctx context.Context, t *turn, r gate.Resolution) (bool, error) {
	for _, look := range []func() (string, error){
		func() (string, error) { return r.FindStray(ctx, t.repo()) },
		func() (string, error) { return judge.ReadTests(candidate(t, r.Target, r.Next, doneCriteria(t.s))) },
		func() (string, error) { return verifyAgain(ctx, t, r) },
	} {
		why, err := look()
		if err != nil {
			return false, err
		}
		if why != "" {
			recordMergeGate(t, gateConflict, why, false)
			t.intervene(t.s, "conflict", t.salvage(ctx, "resolution", r.Next), "what the agent made of the conflict is not merged: %s", why)
			return false, nil
		}
	}
	recordMergeGate(t, gateConflict, "", true)
	return true, nil
}

// verifyAgain has all criteria judged again by what the branch is now, in a work
// tree that has nothing else.
func verifyAgain(ctx context.Context, t *turn, r gate.Resolution) (string, error) {
	tree, err := gate.TreeOf(ctx, t.repo(), r.Next)
	if err != nil {
		return "", err
	}
	apart, err := t.Work.Checkout(ctx, "issue-"+t.s.Issue(), r.Next)
	if err != nil {
		return "", err
	}
	defer func() { _ = t.Work.Abandon(context.WithoutCancel(ctx), apart.Top()) }() // warp clean finds it
	return judgeTree(ctx, t, gate.Sight{Dir: apart.Dir, Base: r.Target, Tree: tree, Criteria: doneCriteria(t.s)}, nil)
}
