package drivecmd

import (
	"context"
	"errors"
	"slices"

	"warp/internal/cli/app"
	"warp/internal/cli/clean"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/engine/policy/drive"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

// tidyUp cleans up after killed commands and merged pull requests: leases, copies and references
// of dead engines, work trees of finished drives, and merged branches.
func (t *workTrees) tidyUp(ctx context.Context) {
	place, ok := git.Locate(t.drive.Root())
	if !ok {
		return // nothing was driven here
	}
	if err := t.finishKilled(ctx, t.drive); err != nil {
		t.app.Note("what a killed drive left is kept: %v", err)
	}
	if err := t.removeLeftTrees(ctx); err != nil {
		t.app.Note("work trees of finished drives are kept: %v", err)
	}
	if !isUnderWay(t.drive) && len(t.listUnfinished()) == 0 { // their agents may still run
		if _, err := guard.ReleaseDead(ctx, place); err != nil {
			t.app.Note("%v", err)
		}
	}
	t.cleanup.deleteBranches(ctx, nil)
}

// finishKilled lets an engine take over from one killed after its drive had finished: it
// releases the lease and removes the copies.
func (t *workTrees) finishKilled(ctx context.Context, d *turnstile.Drive) error {
	if isUnderWay(d) || !t.wasKilled(d) {
		return nil
	}
	e, err := t.engines.makeEngine(d, "")
	if err != nil {
		return err
	}
	e.Only = true
	_, err = t.engines.run(ctx, d, e)
	var nothing *drive.Nothing
	var active *turnstile.ActiveError // it started a moment ago
	if errors.As(err, &nothing) || errors.As(err, &active) {
		return nil
	}
	return err
}

// wasKilled reports whether a work tree's engine died without releasing its lease.
func (t *workTrees) wasKilled(d *turnstile.Drive) bool {
	leases, _ := d.Store().Leases() // an unreadable one is left to the next engine
	return slices.ContainsFunc(leases, func(l durable.LeaseFile) bool {
		return l.Session == drivestate.Lease && l.Stale(t.engines.process.Host, t.app.Env.Started, t.app.Env.Now())
	})
}

// removeLeftTrees removes the work trees of finished drives that have landed.
func (t *workTrees) removeLeftTrees(ctx context.Context) error {
	here, err := app.OpenTree(t.drive)
	if err != nil {
		return err
	}
	trees, err := here.Worktrees(ctx)
	if err != nil {
		return err
	}
	var landed []evidence.Landed
	for _, tree := range trees {
		if !isOwnWorkTree(tree.Path) || tree.Missing || tree.Path == here.Top() {
			continue
		}
		if landed == nil {
			if landed, err = documents.ListLanded(t.drive.Project.Home()); err != nil {
				return err
			}
		}
		_, folder := clean.FindProject(tree.Path)
		d := turnstile.Open(folder, t.app.Env)
		v, err := d.Read()
		if err != nil || v.State.Phase.Active() || !slices.ContainsFunc(landed, func(l evidence.Landed) bool { return l.Branch == tree.Branch && l.Commit == tree.Head }) {
			continue
		}
		if err := t.finishKilled(ctx, d); err != nil {
			return err
		}
		if err := clean.RemoveTree(ctx, t.app, here, tree.Path); err != nil {
			return err
		}
	}
	return nil
}
