package workflow

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/workflow"
	"warp/internal/engine/forge"
	"warp/internal/sys/work"
)

// integrate hands the work in: at level 2 as a pull request, at level 3 by
// merging it.
func (r *run) integrate(ctx context.Context, report string) error {
	s := r.now()
	remote, has, err := r.Work.Remote(ctx)
	if err != nil {
		return err
	}
	main, err := r.Work.Repo().MainBranch()
	if err != nil {
		return err
	}
	if s.Level == 2 {
		return r.pull(ctx, report, main, remote, has)
	}
	if has {
		if _, err := r.Work.Fetch(ctx, remote, main); err != nil {
			return r.pause(workflow.PausedPerson, fmt.Sprintf("%s cannot be asked for %s: %v", remote, main, err), "")
		}
		if there, err := r.Work.Repo().Ref("refs/remotes/" + remote + "/" + main); err == nil && there != "" {
			err := r.Work.FastForward(ctx, main, there)
			var late *work.NotFastForward
			if err != nil && !errors.As(err, &late) {
				return r.pause(workflow.PausedPerson, fmt.Sprintf("%s cannot be brought up to %s: %v", main, remote, err), "")
			}
		}
	}
	tip, err := r.onto(ctx, s.Branch, main)
	if err != nil {
		return err
	}
	if has {
		if err := r.Work.Push(ctx, remote, s.Branch, work.PushOptions{As: main}); err != nil {
			return r.pause(workflow.PausedPerson, fmt.Sprintf("%s could not be pushed: %v", main, err), "")
		}
		r.passed("target_pushed")
	}
	if err := r.Work.FastForward(context.WithoutCancel(ctx), main, tip); err != nil {
		return r.pause(workflow.PausedPerson, fmt.Sprintf("%s could not be moved forward: %v", main, err), "")
	}
	r.passed("merged")
	r.tell(Note{Kind: Integrating, Text: fmt.Sprintf("%s is merged into %s", s.Branch, main)})
	return nil
}

// onto rebases the branch onto the merge target where that has moved on, and has
// the verification pass again.
func (r *run) onto(ctx context.Context, branch, main string) (string, error) {
	repo := r.Work.Repo()
	tip, err := repo.Head()
	if err != nil {
		return "", err
	}
	target, err := repo.Ref("refs/heads/" + main)
	if err != nil {
		return "", err
	}
	if on, err := repo.Descends(tip, target); err != nil || on {
		return tip, err
	}
	next, conflict, err := r.Work.Rebase(ctx, tip, target)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		if err := r.Work.Abandon(ctx, conflict.Dir); err != nil {
			return "", err
		}
		return "", r.pause(workflow.PausedPerson, fmt.Sprintf("%s conflicts with %s in %v: rebase it, then warp workflow resume", branch, main, conflict.Files), "")
	}
	if err := r.Work.Follow(ctx, branch, next); err != nil {
		return "", r.pause(workflow.PausedPerson, fmt.Sprintf("the rebased branch cannot be checked out: %v", err), "")
	}
	r.passed("rebased")
	for _, c := range r.plan().Verification {
		if said, ok, err := r.command(ctx, r.Root, c.Run); err != nil || !ok {
			if err == nil {
				err = r.pause(workflow.PausedPerson, fmt.Sprintf("what is verified on the branch fails with what %s has got meanwhile: %s", main, opening(said)), "")
			}
			return "", err
		}
	}
	return next, nil
}

func (r *run) pull(ctx context.Context, report, main, remote string, has bool) error {
	s := r.now()
	if has {
		if err := r.Work.Push(ctx, remote, s.Branch, work.PushOptions{}); err != nil {
			return r.pause(workflow.PausedPerson, fmt.Sprintf("%s could not be pushed: %v", s.Branch, err), "")
		}
		r.passed("branch_pushed")
	} else if r.Tracker.Name() != "local" {
		return r.pause(workflow.PausedPerson, "a pull request needs a remote, and there is none: git remote add origin URL, then warp workflow resume", "")
	}
	p, err := r.Tracker.OpenPull(ctx, forge.NewPull{Title: r.Redact(r.plan().Title), Body: report, Head: s.Branch, Base: main, Once: "warp-workflow pull " + s.ID})
	if err != nil {
		return r.pause(workflow.PausedPerson, fmt.Sprintf("the pull request could not be opened: %v", err), "")
	}
	r.passed("pull_opened")
	r.tell(Note{Kind: Integrating, Text: fmt.Sprintf("pull request #%d %s", p.Number, p.URL)})
	return nil
}
