package drive

import (
	"context"
	"strings"

	"warp/internal/core/evidence"
)

// DropMerged deletes the branches that drives made and merged, here and on the remote,
// unless the settings keep them. It is for when no drive is under way, which would take
// that for the doing of others. What cannot be deleted stays: warp clean finds it.
func (e *Engine) DropMerged(ctx context.Context) error {
	e.assemble()
	cfg, err := e.Drive.Project.Settings()
	if err != nil || !cfg.DeleteMerged {
		return err
	}
	if err := readBook(e.ledger); err != nil {
		return err
	}
	target, err := e.Work.Repo().MainBranch()
	if err != nil {
		return err
	}
	for _, o := range e.book.Outcomes {
		if o.Row.Result != evidence.Merged || !strings.HasPrefix(o.Row.Branch, branchPrefix) {
			continue
		}
		if tip, err := e.lander.Tip(o.Row.Branch); err != nil || tip == "" {
			continue // it was deleted before
		}
		if err := e.lander.DropMerged(ctx, o.Row.Branch, target); err != nil {
			e.remark("the branch %s is kept: %v", o.Row.Branch, err)
		}
	}
	return nil
}
