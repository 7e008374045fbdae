package drive

import (
	"context"
	"slices"
	"strings"

	"warp/internal/engine/filing"
)

// reopenUndone reopens boxes that a lost machine checked off for its first chunk without pushing
// the commit: they would count as done, and a requirement was once merged without them.
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
