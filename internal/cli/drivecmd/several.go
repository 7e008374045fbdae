package drivecmd

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"

	"warp/internal/cli/app"
	"warp/internal/cli/boxes"
	"warp/internal/core/evidence"
	"warp/internal/engine/place"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/policy/night"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// driveSeveral drives issues in work trees of their own, some of them at once.
func (w *workshop) driveSeveral(ctx context.Context) ([]evidence.Outcome, error) {
	next, done := w.source(ctx)
	return night.Shift{Parallel: w.o.parallel, Next: next, Halted: w.halted,
		Drive: func(ctx context.Context, issue string) ([]evidence.Outcome, error) {
			defer done(issue)
			return w.driveApart(ctx, issue)
		}}.Work(ctx)
}

// halted says why no further issue is begun.
func (w *workshop) halted() string {
	if why := w.breakers.Halted(); why != "" {
		return why
	}
	if w.isAskedToStop() {
		return "you asked to stop after the issue that was under way"
	}
	if !w.o.until.IsZero() && !w.app.Env.Now().Before(w.o.until) {
		return "it was " + w.o.until.Local().Format("15:04")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if limit := w.costLimit(); limit > 0 && w.spent.MicroUSD >= limit {
		return "the " + evidence.Dollars(limit) + " for this night are spent"
	}
	return ""
}

// isAskedToStop reports whether a person wants no further issue to begin.
func (w *workshop) isAskedToStop() bool {
	_, err := os.Lstat(app.StopAfterFile(w.drive))
	return err == nil
}

// source gives one issue after the other: those that were named, or each that
// is approved, once. It is told which are done with.
func (w *workshop) source(ctx context.Context) (next func() (string, error), done func(string)) {
	if len(w.o.issues) > 0 {
		return night.Lineup(ctx, w.tracker, w.o.issues)
	}
	var mu sync.Mutex
	given := 0
	chooser := w.chooser("")
	chooser.Tell = nil // the account tells what is passed over
	return func() (string, error) {
		mu.Lock()
		defer mu.Unlock()
		if w.o.once && given > 0 {
			return "", nil
		}
		given++
		return chooser.Next(ctx)
	}, func(string) {}
}

// chooser looks at issues and changes nothing.
func (w *workshop) chooser(issue string) *drive.Engine {
	work, _ := app.OpenTree(w.drive) // without a repository there is nothing to choose from
	return &drive.Engine{Ports: drive.Ports{Drive: w.drive, Tracker: w.tracker, Work: work, Tell: w.view.Note, Now: w.app.Env.Now, Redact: w.redact.String},
		Options: drive.Options{Issue: issue, Own: true, Level: w.o.level}}
}

// driveApart drives one issue in a separate work tree.
func (w *workshop) driveApart(ctx context.Context, issue string) ([]evidence.Outcome, error) {
	here, err := app.OpenTree(w.drive)
	if err != nil {
		return nil, err
	}
	chooser := w.chooser(issue)
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
	i, err := w.tracker.Get(ctx, n)
	if err != nil {
		return nil, err
	}
	branch, from := drive.BranchOf(i), main
	if followed, commit := chooser.FollowedBranch(ctx, issue); followed != "" {
		if err := fetchBranch(ctx, here, followed); err != nil {
			return nil, err
		}
		branch, from = followed, commit
	}
	tree, err := w.makePlace(ctx, here, issue, branch, from)
	if err != nil {
		return nil, err
	}
	return w.driveWithin(ctx, tree.Dir, issue)
}

// fetchBranch brings what a remote has of a branch here.
func fetchBranch(ctx context.Context, here gitwrite.Tree, branch string) error {
	remote, ok, err := here.Remotes().Choose(ctx)
	if err == nil && ok {
		_, err = here.Remotes().Fetch(ctx, remote, branch)
	}
	return err
}

// makePlace makes the work tree of an issue, or finds it.
func (w *workshop) makePlace(ctx context.Context, here gitwrite.Tree, issue, branch, from string) (gitwrite.Tree, error) {
	settings, err := w.drive.Project.Settings()
	if err != nil {
		return gitwrite.Tree{}, err
	}
	places := &place.Places{Root: w.drive.Root(), Work: here, Base: func() string { return from }}
	places.Furnish = boxes.Furnish(w.app, w.drive, settings, func(text string) { w.app.Notes([]string{text}) })
	return places.Make(ctx, placeName(issue), branch, from)
}

// driveWithin drives in a work tree of the drive's own, which is removed when nothing
// is left in it.
func (w *workshop) driveWithin(ctx context.Context, dir, issue string) ([]evidence.Outcome, error) {
	ends, err := w.driveOne(ctx, turnstile.Open(dir, w.app.Env), issue, true)
	if err != nil || len(ends) == 0 || !ends[len(ends)-1].Result.Good() {
		return ends, err
	}
	here, err := app.OpenTree(w.drive)
	if err != nil {
		return ends, err
	}
	if tree, err := gitwrite.Open(dir); err == nil {
		dir = tree.Top()
	}
	if err := w.removeTree(ctx, here, dir); err != nil {
		w.app.Notes([]string{fmt.Sprintf("the work tree of #%s is kept: %v (warp clean removes it later)", issue, err)})
	}
	w.deleteMerged(ctx, ends)
	return ends, nil
}
