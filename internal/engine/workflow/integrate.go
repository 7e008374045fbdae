package workflow

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/workflow"
	"warp/internal/engine/forge"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
)

// landing hands the work in: at level 2 as a pull request, at level 3 by merging
// it, once it is proved on the tree that is merged.
type landing struct {
	outer
	met           workflow.Criteria
	before, after string   // figures
	red           []string // tests that fail, and did before
}

func (l *landing) integrate(ctx context.Context) error {
	if l.now().Level == 2 {
		return l.waits(l.pull(ctx))
	}
	free, err := l.land.Merging(ctx)
	if err != nil {
		return err
	}
	defer free()
	for range land.Tries {
		late, err := l.merge(ctx)
		if err != nil || !late {
			return l.waits(err)
		}
	}
	return l.pause(workflow.PausedPerson, fmt.Sprintf("others pushed to %s before the work could be merged, %d times: warp workflow resume tries again", l.target, land.Tries), "")
}

// waits makes a pause of what keeps the work from landing.
func (l *landing) waits(err error) error {
	var paused *PausedError
	var pushed *guard.PushedError
	if err == nil || errors.Is(err, context.Canceled) || errors.As(err, &paused) || errors.As(err, &pushed) {
		return err
	}
	return l.pause(workflow.PausedPerson, fmt.Sprintf("the work waits to be handed in: %v; when that is settled, warp workflow resume", err), "")
}

// merge merges the branch once. Late says that others were faster.
func (l *landing) merge(ctx context.Context) (late bool, err error) {
	branch := l.now().Branch
	if err := l.remote.Check(ctx, l.refs[0]); err != nil { // before anything that was pushed there comes here
		return false, err
	}
	if err := l.land.Update(ctx, l.target); err != nil {
		return false, err
	}
	tip, err := l.onto(ctx, branch)
	if err == nil {
		err = l.land.Free(ctx, l.target, tip)
	}
	if err == nil {
		err = l.prove(ctx, tip)
	}
	if err != nil {
		return false, err
	}
	if late, err = l.land.Merge(ctx, branch, l.target, tip); err != nil || late {
		return late, err
	}
	l.passed("merged")
	l.tell(Note{Kind: Integrating, Text: fmt.Sprintf("%s is merged into %s", branch, l.target)})
	return false, nil
}

// onto rebases the branch onto the merge target where that has moved on.
func (l *landing) onto(ctx context.Context, branch string) (string, error) {
	repo := l.Work.Repo()
	tip, err := repo.Head()
	if err != nil {
		return "", err
	}
	target, err := l.land.Tip(l.target)
	if err == nil && target == "" {
		err = fmt.Errorf("%s, which the work is to be merged into, is gone (git branch %s COMMIT makes it again)", l.target, l.target)
	}
	if err != nil {
		return "", err
	}
	if on, err := repo.Descends(tip, target); err != nil || on {
		return tip, err
	}
	next, conflict, err := l.Work.Rebase(ctx, tip, target)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		return "", joined(l.Work.Abandon(ctx, conflict.Dir), fmt.Errorf("%s conflicts with %s in %v: rebase it", branch, l.target, conflict.Files))
	}
	if err := l.land.Follow(ctx, branch, next); err != nil {
		return "", fmt.Errorf("checking the rebased branch out: %w", err)
	}
	l.passed("rebased")
	moved, err := (&opening{l.run}).inStep(l.now())
	if err != nil {
		return "", err
	}
	return next, l.update("rebased", func(s *workflow.State) error {
		for task, commit := range moved {
			s.CommitIs(task, commit)
		}
		s.Base = target
		return nil
	})
}

func (l *landing) pull(ctx context.Context) error {
	s := l.now()
	tip, err := l.Work.Repo().Head()
	if err == nil {
		err = l.prove(ctx, tip)
	}
	if err != nil {
		return err
	}
	if l.remote == nil && l.Tracker.Name() != "local" {
		return errors.New("a pull request needs a remote, and there is none (git remote add origin URL)")
	}
	if err := l.land.Push(ctx, s.Branch, ""); err != nil {
		return fmt.Errorf("pushing %s: %w", s.Branch, err)
	}
	l.passed("branch_pushed")
	p, err := l.Tracker.OpenPull(ctx, forge.NewPull{Title: l.Redact(l.plan().Title), Body: l.report(), Head: s.Branch, Base: l.target, Once: "warp-workflow pull " + s.ID})
	if err != nil {
		return fmt.Errorf("opening the pull request: %w", err)
	}
	l.passed("pull_opened")
	l.tell(Note{Kind: Integrating, Text: fmt.Sprintf("pull request #%d %s", p.Number, p.URL)})
	return nil
}
