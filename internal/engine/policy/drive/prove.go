package drive

import (
	"context"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
)

// proveMerge checks once more everything that is to be merged, no matter who made it and when: its tests
// must be worth as much as the target's. That they pass was established before, on the same tree.
func proveMerge(ctx context.Context, t *turn, tip string) error {
	base, err := gate.MergeBase(ctx, t.repo(), tip, "refs/heads/"+t.s.MergeTarget)
	if err != nil {
		return err
	}
	why, err := explainWeakerTests(ctx, t, base, tip)
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

// explainWeakerTests returns why the tests of what is to be merged are worth less than the
// target's, or "".
func explainWeakerTests(ctx context.Context, t *turn, base, tip string) (why string, err error) {
	why, err = judge.ReadTests(newCandidate(t, base, tip, doneCriteria(t.s)))
	if err != nil || why != "" {
		return why, err
	}
	return compareMerged(ctx, t, base, tip)
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
