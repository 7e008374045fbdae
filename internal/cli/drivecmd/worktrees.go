package drivecmd

import (
	"context"
	"strconv"

	"warp/internal/cli/app"
	"warp/internal/cli/clean"
	"warp/internal/cli/sandboxes"
	"warp/internal/core/evidence"
	"warp/internal/engine/conductor"
	"warp/internal/engine/forge"
	"warp/internal/engine/place"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// workTrees drives issues in separate work trees and removes those in which nothing is left.
type workTrees struct {
	app     *app.App
	drive   *turnstile.Drive
	engines *engines
	cleanup *cleanup
}

func (t *workTrees) driveApart(ctx context.Context, issue string) ([]evidence.Outcome, error) {
	here, err := app.OpenTree(t.drive)
	if err != nil {
		return nil, err
	}
	chooser := t.engines.makeChooser(issue)
	if o := chooser.Fit(ctx); o != nil {
		return []evidence.Outcome{*o}, nil
	}
	main, err := here.Repo().MainBranch()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(issue)
	if err != nil {
		return nil, err
	}
	i, err := t.engines.tracker.Get(ctx, n)
	if err != nil {
		return nil, err
	}
	branch, from := i.Branch(), main
	if followed, commit := chooser.FollowedBranch(ctx, issue); followed != "" {
		if err := fetchBranch(ctx, here, followed); err != nil {
			return nil, err
		}
		branch, from = followed, commit
	}
	tree, err := t.makePlace(ctx, here, issue, branch, from)
	if err != nil {
		return nil, err
	}
	return t.driveWithin(ctx, tree.Dir, issue)
}

// fetchBranch fetches a branch from the remote, if there is one.
func fetchBranch(ctx context.Context, here gitwrite.Tree, branch string) error {
	remote, ok, err := here.Remotes().Choose(ctx)
	if err == nil && ok {
		_, err = here.Remotes().Fetch(ctx, remote, branch)
	}
	return err
}

// makePlace creates or finds an issue's work tree.
func (t *workTrees) makePlace(ctx context.Context, here gitwrite.Tree, issue, branch, from string) (gitwrite.Tree, error) {
	settings, err := t.drive.Project.Settings()
	if err != nil {
		return gitwrite.Tree{}, err
	}
	places := &place.Places{Root: t.drive.Root(), Work: here, Base: func() string { return from }}
	places.Furnish = sandboxes.Furnish(t.app, t.drive, settings, func(text string) { t.app.Note("%s", text) })
	return places.Make(ctx, placeName(issue), branch, from)
}

// driveWithin drives in a separate work tree, and removes it if nothing is left in it.
func (t *workTrees) driveWithin(ctx context.Context, dir, issue string) ([]evidence.Outcome, error) {
	ends, err := t.engines.driveIssue(ctx, turnstile.Open(dir, t.app.Env), issue, true)
	if err != nil || len(ends) == 0 || !ends[len(ends)-1].Result.Good() {
		return ends, err
	}
	here, err := app.OpenTree(t.drive)
	if err != nil {
		return ends, err
	}
	if tree, err := gitwrite.Open(dir); err == nil {
		dir = tree.Top()
	}
	if err := clean.RemoveTree(ctx, t.app, here, dir); err != nil {
		t.app.Note("the work tree of #%s is kept: %v (warp clean removes it later)", issue, err)
	}
	t.cleanup.deleteMerged(ctx, ends)
	return ends, nil
}

// cleanup removes branches and work trees whose work has landed.
type cleanup struct {
	app       *app.App
	drive     *turnstile.Drive
	tracker   forge.Tracker
	conductor *conductor.Conductor // nil if no fleet conducts the drive
	say       func(text string)
}

// deleteMerged deletes the branches of successful outcomes, if they have landed.
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
	clean.DeleteMerged(ctx, c.app, c.drive, clean.MergedOptions{Tracker: c.tracker, Conductor: c.conductor, Only: only, Say: c.say})
}
