package drive

import (
	"context"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
)

// gateProof is the gate that what is merged has to pass as a whole.
const gateProof = "integrity of what is merged"

// proveMerge looks once more at all that is to be merged, whoever made it and
// whenever: the tests are worth as much as they were in the branch that gets it.
// That they pass was found out before, on the same tree.
func (e *merger) proveMerge(ctx context.Context, s *drive.State, tip string) error {
	target, err := e.trees.branchTip(s.MergeTarget)
	if err != nil {
		return err
	}
	base, err := e.trees.askGit(ctx, "merge-base", tip, target)
	if err != nil {
		return err
	}
	why, err := judge.ReadTests(e.candidate(s, base, tip))
	if err != nil || why == "" {
		return err
	}
	e.recordMergeGate(s, gateProof, why, false)
	return needsPerson("look at the branch, put it right, then warp resume", "what would be merged into %s makes its tests worth less: %s", s.MergeTarget, text.OneLine(strings.TrimSpace(why)))
}
