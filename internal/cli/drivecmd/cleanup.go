package drivecmd

import (
	"context"
	"slices"

	"warp/internal/cli/app"
	"warp/internal/cli/branches"
	"warp/internal/core/evidence"
	"warp/internal/engine/conductor"
	"warp/internal/engine/dev/takedown"
	"warp/internal/engine/forge"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

// cleanup removes branches and work trees whose work has landed.
type cleanup struct {
	app       *app.App
	drive     *turnstile.Drive
	tracker   forge.Tracker
	conductor *conductor.Conductor // nil: no fleet conducts the drive
	say       func(text string)
}

// deleteMerged deletes the branches of what has ended, if it has landed.
func (c *cleanup) deleteMerged(ctx context.Context, ends []evidence.Outcome) {
	only := []string{}
	for _, o := range ends {
		if o.Branch != "" && o.Result.Good() {
			only = append(only, o.Branch)
		}
	}
	if len(only) > 0 {
		c.deleteBranches(ctx, only)
	}
}

func (c *cleanup) deleteBranches(ctx context.Context, only []string) {
	branches.DeleteMerged(ctx, c.app, c.drive, branches.Options{Tracker: c.tracker, Conductor: c.conductor, Only: only, Say: c.say})
}

// tidyUp makes good what an earlier night was killed over, or what a person has merged
// since: work trees of drives that are over, and branches that have landed.
func (c *cleanup) tidyUp(ctx context.Context) {
	if err := c.removeLeftTrees(ctx); err != nil {
		c.app.Notes([]string{"work trees of finished drives are kept: " + err.Error()})
	}
	c.deleteBranches(ctx, nil)
}

// removeLeftTrees removes the work trees of drives that have landed and ended.
func (c *cleanup) removeLeftTrees(ctx context.Context) error {
	here, err := app.OpenTree(c.drive)
	if err != nil {
		return err
	}
	trees, err := here.Worktrees(ctx)
	if err != nil {
		return err
	}
	var landed []evidence.Landed
	for _, t := range trees {
		if !isOwnWorkTree(t.Path) || t.Missing || t.Path == here.Top() {
			continue
		}
		if landed == nil {
			if landed, err = documents.ListLanded(c.drive.Project.Home()); err != nil {
				return err
			}
		}
		v, err := turnstile.Open(t.Path, c.app.Env).Read()
		if err != nil || v.State.Phase.Active() || !slices.ContainsFunc(landed, func(l evidence.Landed) bool { return l.Branch == t.Branch && l.Commit == t.Head }) {
			continue
		}
		if err := removeTree(ctx, c.app, here, t.Path); err != nil {
			return err
		}
	}
	return nil
}

// removeTree removes a work tree of a drive's own in which nothing is left.
func removeTree(ctx context.Context, a *app.App, here gitwrite.Tree, dir string) error {
	// The server of its dev environment would write into what is being removed.
	if err := takedown.Server(ctx, turnstile.Open(dir, a.Env).Store(), dir, a.Env.Started); err != nil {
		return err
	}
	return here.RemoveWorktree(ctx, dir, true)
}
