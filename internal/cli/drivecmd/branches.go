package drivecmd

import (
	"context"
	"slices"

	"warp/internal/cli/app"
	"warp/internal/cli/branches"
	"warp/internal/core/evidence"
	"warp/internal/engine/dev/takedown"
	"warp/internal/engine/policy/drive"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// deleteMerged deletes the branches of what has ended, if it has landed.
func (w *workshop) deleteMerged(ctx context.Context, ends []evidence.Outcome) {
	only := []string{}
	for _, o := range ends {
		if o.Branch != "" && o.Result.Good() {
			only = append(only, o.Branch)
		}
	}
	if len(only) > 0 {
		w.deleteBranches(ctx, only)
	}
}

func (w *workshop) deleteBranches(ctx context.Context, only []string) {
	branches.DeleteMerged(ctx, w.app, w.drive, branches.Options{Tracker: w.tracker, Conductor: w.conductor, Only: only, Say: w.say})
}

func (w *workshop) say(text string) {
	w.view.Note(drive.Note{At: w.app.Env.Now(), Kind: drive.Remark, Text: text})
}

// tidyUp makes good what an earlier night was killed over, or what a person has merged
// since: work trees of drives that are over, and branches that have landed.
func (w *workshop) tidyUp(ctx context.Context) {
	if err := w.removeLeftTrees(ctx); err != nil {
		w.app.Notes([]string{"work trees of finished drives are kept: " + err.Error()})
	}
	w.deleteBranches(ctx, nil)
}

// removeLeftTrees removes the work trees of drives that have landed and ended.
func (w *workshop) removeLeftTrees(ctx context.Context) error {
	here, err := app.OpenTree(w.drive)
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
			if landed, err = turnstile.ListLanded(w.drive.Project.Home()); err != nil {
				return err
			}
		}
		v, err := turnstile.Open(t.Path, w.app.Env).Read()
		if err != nil || v.State.Phase.Active() || !slices.ContainsFunc(landed, func(l evidence.Landed) bool { return l.Branch == t.Branch && l.Commit == t.Head }) {
			continue
		}
		if err := w.removeTree(ctx, here, t.Path); err != nil {
			return err
		}
	}
	return nil
}

// removeTree removes a work tree of a drive's own in which nothing is left.
func (w *workshop) removeTree(ctx context.Context, here gitwrite.Tree, dir string) error {
	// The server of its dev environment would write into what is being removed.
	if err := takedown.Server(ctx, turnstile.Open(dir, w.app.Env).Store(), dir, w.app.Env.Started); err != nil {
		return err
	}
	return here.RemoveWorktree(ctx, dir, true)
}
