package drive

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
)

// proveReady runs all tests on the work to merge, and compares them with the target's.
func proveReady(ctx context.Context, t *turn, _ claim) error {
	if _, err := testRequirement(ctx, t); err != nil {
		return err
	}
	tip, err := t.lander.Tip(t.s.BranchName())
	if err != nil {
		return err
	}
	_, why, err := explainWeakerTests(ctx, t, tip)
	if err == nil && why != "" {
		return needsPerson("warp stop, then fix the branch", "merging into %s would weaken its tests: %s", t.s.MergeTarget, text.OneLine(why))
	}
	return err
}

// proveMerged requires the branch in its target, or in a pull request.
func proveMerged(ctx context.Context, t *turn, _ claim) error {
	tip, err := t.lander.Tip(t.s.BranchName())
	if err != nil {
		return err
	}
	if tip == "" {
		return needsPerson("git branch "+t.s.BranchName()+" COMMIT", "the drive's branch %s is gone", t.s.BranchName())
	}
	if err := checkTrailers(t); err != nil {
		return err
	}
	target, err := t.lander.Tip(t.s.MergeTarget)
	if err != nil {
		return err
	}
	in, err := t.repo().Descends(target, tip)
	switch {
	case err != nil:
		return err
	case endsInPull(t):
		return provePulled(ctx, t, tip, in)
	case !in:
		return needsPerson(fmt.Sprintf("git switch %s, then git merge --ff-only %s", t.s.MergeTarget, t.s.BranchName()),
			"%s does not contain %s", t.s.MergeTarget, t.s.BranchName())
	}
	if err := provePushed(ctx, t, tip); err != nil {
		return err
	}
	if err := proveTarget(ctx, t, target); err != nil {
		return err
	}
	if err := recordLanded(t, evidence.Landed{Commit: tip}); err != nil {
		return err
	}
	closeSettled(ctx, t, tip)
	t.recordOutcome(t.s, evidence.Outcome{Result: evidence.Merged, Commit: tip})
	return nil
}

// provePulled requires an open pull request with the branch's present commit, unless a person
// merged it already.
func provePulled(ctx context.Context, t *turn, tip string, merged bool) error {
	p, err := t.Tracker.FindPull(ctx, t.s.BranchName(), t.s.MergeTarget)
	switch {
	case err != nil:
		return err
	case p.Number == 0 && !merged:
		return needsPerson("warp state file . pull", "no pull request from %s into %s is open", t.s.BranchName(), t.s.MergeTarget)
	case p.Number > 0 && p.Commit != "" && p.Commit != tip:
		return needsPerson("git push origin "+t.s.BranchName(), "the pull request has %s, and the branch is at %s", text.Hash(p.Commit), text.Hash(tip))
	}
	if p.Number > 0 {
		if err := recordLanded(t, evidence.Landed{Commit: tip, Pull: p.Number, URL: p.URL}); err != nil {
			return err
		}
	}
	t.recordOutcome(t.s, evidence.Outcome{Result: evidence.Pull, Commit: tip, Pull: p.URL, Do: sayMerge(t, nil)})
	return nil
}

// provePushed requires the merge on the remote, if there is one.
func provePushed(ctx context.Context, t *turn, tip string) error {
	if t.lander.Remote == nil {
		return nil
	}
	target, remote := t.s.MergeTarget, t.lander.Remote.Name
	at, err := t.lander.Remote.Fetch(ctx, target)
	if err != nil {
		return needsPerson("try again", "%s cannot be reached: %v", remote, err)
	}
	if there := at[target]; there != "" {
		if in, err := t.repo().Descends(there, tip); err != nil || in {
			return err
		}
	}
	return needsPerson("git push "+remote+" "+target, "%s on %s does not contain %s", target, remote, t.s.BranchName())
}

// proveTarget runs the tests on what was merged, unless they already passed there.
func proveTarget(ctx context.Context, t *turn, target string) error {
	head, err := t.repo().Head()
	if err != nil {
		return err
	}
	if head != target {
		return needsPerson("git switch "+t.s.MergeTarget, "%s is not checked out, so it cannot be tested", t.s.MergeTarget)
	}
	r, err := runTests(ctx, t, "", gate.Merge)
	if err == nil && !r.Passed {
		return needsPerson("look at "+r.Log, "the tests fail on %s with what was merged: %s", t.s.MergeTarget, gate.Describe(r))
	}
	return err
}

// proveEnded requires that the summary is filed and the merged issue is closed.
func proveEnded(ctx context.Context, t *turn, _ claim) error {
	s := t.s
	if len(s.CommitHashes) > 0 {
		filed, err := t.desk().IsFiled(ctx, "summary")
		if err != nil {
			return err
		}
		if !filed {
			return needsPerson("warp state file . summary", "the tracker has no summary of this session")
		}
	}
	merged := slices.ContainsFunc(s.History, func(r drivestate.Row) bool { return r.Event == drivestate.Merged })
	if merged && t.issue != nil && t.issue.Open && !endsInPull(t) {
		return needsPerson("warp issue close "+s.Issue(), "#%s was merged, and is still open", s.Issue())
	}
	return nil
}

// proveMerge checks everything to merge again, no matter who made it and when: its tests must be
// worth as much as the target's. That they pass was established before, on the same tree.
func proveMerge(ctx context.Context, t *turn, tip string) error {
	base, why, err := explainWeakerTests(ctx, t, tip)
	if err != nil {
		return err
	}
	if why == "" {
		return proveAgain(ctx, t, base, tip)
	}
	recordMergeGate(t, gateProof, why, false)
	return needsPerson("check the branch, fix it, then warp resume",
		"merging into %s would weaken its tests: %s", t.s.MergeTarget, text.OneLine(strings.TrimSpace(why)))
}

// explainWeakerTests returns why the tests of the work to merge are worth less than the target's,
// or "", and where the branch left the target.
func explainWeakerTests(ctx context.Context, t *turn, tip string) (base, why string, err error) {
	if base, err = gate.MergeBase(ctx, t.repo(), tip, "refs/heads/"+t.s.MergeTarget); err != nil {
		return "", "", err
	}
	why, err = judge.ReadTests(newCandidate(t, base, tip, doneCriteria(t.s)))
	if err == nil && why == "" {
		why, err = compareMerged(ctx, t, base, tip)
	}
	return base, why, err
}

// proveAgain has all criteria judged on what is merged unless the engine's own records show that it
// committed each of them. Otherwise another machine or an older warp wrote the state, and its
// claims are not proven here.
func proveAgain(ctx context.Context, t *turn, base, tip string) error {
	left := listUnproven(t)
	if len(left) == 0 {
		return nil
	}
	t.remark("no signed record says that %s was judged and committed: judging all of it again", strings.Join(left, ", "))
	why, err := verifyAgain(ctx, t, gate.Resolution{Tip: tip, Target: base, Next: tip})
	if err != nil {
		return err
	}
	recordMergeGate(t, gateProof, why, why == "")
	if why == "" {
		return nil
	}
	return needsPerson("check the branch, fix it, then warp resume",
		"the merge into %s is not what was asked for: %s", t.s.MergeTarget, text.OneLine(why))
}

// listUnproven lists the branch's criteria that no commit of the engine fulfils.
func listUnproven(t *turn) (list []string) {
	page := t.book.Of(t.s.Issue(), 0)
	for _, id := range doneCriteria(t.s) {
		if _, ok := evidence.Last(page.Commits, func(c evidence.Commit) bool { return !c.WIP && !c.Recovered && slices.Contains(c.Criteria, id) }); !ok {
			list = append(list, id)
		}
	}
	return list
}
