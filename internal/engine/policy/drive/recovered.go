package drive

import (
	"context"
	"slices"
	"strings"

	"warp/internal/engine/filing"
)

// reopenUndone opens boxes again that a machine which is lost has checked off for its first
// chunk, and whose commit it did not push: they would count as done before (a requirement
// was once merged without them).
func reopenUndone(ctx context.Context, t *turn) error {
	last := len(t.s.History) - 1
	if t.s.Issue() == "" || last < 0 || t.s.History[last].Event != "recovered" {
		return nil
	}
	i, err := getIssue(ctx, t.Engine, t.s.Issue())
	if err != nil {
		return err
	}
	desk := t.desk()
	desk.Issue = i
	before, known, err := filing.CheckedBefore(ctx, desk)
	if err != nil || !known {
		return err
	}
	opened, err := desk.SetBoxes(ctx, func(id string, was bool) bool { return was && slices.Contains(before, id) })
	if err == nil && len(opened) > 0 {
		t.remark("reopened criteria that were checked off on another machine and never pushed: %s", strings.Join(opened, ", "))
	}
	return err
}
