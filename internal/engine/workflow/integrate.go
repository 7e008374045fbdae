package workflow

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/engine/forge"
	"warp/internal/sys/work"
)

// integrate hands the work in: at level 2 as a pull request, at level 3 by
// merging it.
func (j *job) integrate(ctx context.Context, report, verified string) error {
	s := j.now()
	remote, has, err := j.Work.Remote(ctx)
	if err != nil {
		return err
	}
	main, err := j.Work.Repo().MainBranch()
	if err != nil {
		return err
	}
	if s.Level == 2 {
		return j.pull(ctx, report, main, remote, has)
	}
	if has {
		if _, err := j.Work.Fetch(ctx, remote, main); err != nil {
			return j.pause(workflow.PausedPerson, fmt.Sprintf("%s cannot be asked for %s: %v", remote, main, err), "")
		}
		if there, err := j.Work.Repo().Ref("refs/remotes/" + remote + "/" + main); err == nil && there != "" {
			err := j.Work.FastForward(ctx, main, there)
			var late *work.NotFastForward
			if err != nil && !errors.As(err, &late) {
				return j.pause(workflow.PausedPerson, fmt.Sprintf("%s cannot be brought up to %s: %v", main, remote, err), "")
			}
		}
	}
	tip, err := j.onto(ctx, s.Branch, main)
	if err == nil && tip != verified {
		err = j.verifyAgain(ctx, main)
	}
	if err != nil {
		return err
	}
	if has {
		if err := j.Work.Push(ctx, remote, s.Branch, work.PushOptions{As: main}); err != nil {
			return j.pause(workflow.PausedPerson, fmt.Sprintf("%s could not be pushed: %v", main, err), "")
		}
		j.passed("target_pushed")
	}
	if err := j.Work.FastForward(context.WithoutCancel(ctx), main, tip); err != nil {
		return j.pause(workflow.PausedPerson, fmt.Sprintf("%s could not be moved forward: %v", main, err), "")
	}
	j.passed("merged")
	j.tell(Note{Kind: Integrating, Text: fmt.Sprintf("%s is merged into %s", s.Branch, main)})
	return nil
}

// verifyAgain runs what can be run on a branch that is not what was verified: it
// was rebased, by us or by a person.
func (j *job) verifyAgain(ctx context.Context, main string) error {
	for _, line := range append(j.verification(), runs(j.Criteria)...) {
		said, ok, err := j.command(ctx, j.Root, line)
		if err == nil && !ok {
			err = j.pause(workflow.PausedPerson, fmt.Sprintf("what is verified on the branch fails with what %s has got meanwhile: %s; mend it on the branch, then warp workflow resume", main, text.Opening(said)), "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// onto rebases the branch onto the merge target where that has moved on.
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
	moved, err := r.inStep(r.now())
	if err != nil {
		return "", err
	}
	if err := r.update("rebased", func(s *workflow.State) error {
		for task, commit := range moved {
			s.CommitIs(task, commit)
		}
		return nil
	}); err != nil {
		return "", err
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
