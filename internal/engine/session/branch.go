package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"warp/internal/core/session"
	"warp/internal/core/text"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// commits tells whether the session commits: on a branch of its own, so that a
// person sees what it made before it is among theirs.
func (r *run) commits() bool {
	return r.guard != nil && slices.ContainsFunc(r.units, func(u unit) bool { return u.stage.Commit })
}

// reserveBranches waits until no other session that commits runs in this work
// tree: each checks out its own branch.
func (r *run) reserveBranches(ctx context.Context) (free func(), err error) {
	if !r.commits() {
		return func() {}, nil
	}
	file := filepath.Join(filepath.Dir(r.guard.TurnFile()), "sessions.lock")
	return step.TakeTurn(ctx, file, "another session commits in this work tree, on a branch of its own", r.remark)
}

// nameBranch names the session's branch and the one that it begins on, before they
// are recorded: what is killed then finds both. Without a branch or a commit to
// begin with it works on what is checked out.
func (r *run) nameBranch(s *session.State) error {
	if !r.commits() {
		return nil
	}
	repo := r.guard.Work.Repo()
	head, err := repo.Head()
	if err != nil || head == "" {
		return err
	}
	on, err := repo.Branch()
	if own := place.FreeBranch(repo, "session/"+r.Name, head); err == nil && on != "" && on != own {
		s.Branch, s.BeganOn = own, on
	}
	return err
}

// enterBranch checks the session's branch out, from the one that it began on. One
// that is gone is made again: its commits were merged, or there were none.
func (r *run) enterBranch(ctx context.Context) error {
	s := r.doc.Now()
	if s.Branch == "" || r.guard == nil {
		return nil
	}
	r.shield.branches = []string{s.Branch, s.BeganOn}
	repo := r.guard.Work.Repo()
	on, err := repo.Branch()
	switch {
	case err != nil || on == s.Branch:
		return err
	case on == s.BeganOn:
		err = r.switchTo(ctx, s.Branch)
		r.passed("branch_made")
		return err
	}
	want := s.Branch
	if _, err := repo.Ref("refs/heads/" + want); err != nil {
		want = s.BeganOn
	}
	if on == "" {
		on = "no branch"
	}
	return fmt.Errorf("the session %s works on %s, and %s is checked out: git switch %s, then warp sessions resume %s", r.Name, s.Branch, on, want, r.Name)
}

// switchTo checks a branch out while no agent is at work.
func (r *run) switchTo(ctx context.Context, branch string) error {
	free, err := step.TakeTurn(ctx, r.guard.TurnFile(), "another agent is at work in this work tree", r.remark)
	if err != nil {
		return err
	}
	defer free()
	return r.guard.Work.Branch(ctx, branch, "")
}

// leaveBranch lands the session's commits, or says where they are, and checks out
// what the session began on. It may be killed at any moment and done again.
func (r *run) leaveBranch(ctx context.Context, s *session.State) error {
	if s.Branch == "" || r.guard == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx) // a session that is stopped leaves it, too
	l := &land.Lander{Work: r.guard.Work, Guard: r.guard, Home: r.home, Process: r.Process, Remark: r.remark, Now: r.Now, Passed: func(string) { r.passed("merged") }}
	on, err := l.Work.Repo().Branch()
	if err != nil {
		return err
	}
	if on == s.Branch {
		if r.Level == 3 && r.met(s) {
			if err := r.merge(ctx, l, s); err != nil {
				r.tell(Note{Kind: Branched, Text: fmt.Sprintf("%s is not merged: %v", s.Branch, err)})
			}
		}
		target, err := l.Tip(s.BeganOn)
		if err == nil && target == "" {
			err = fmt.Errorf("%s, which it began on, is gone", s.BeganOn)
		}
		if err == nil {
			err = r.switchTo(ctx, s.BeganOn)
		}
		if err != nil {
			r.tell(Note{Kind: Branched, Text: fmt.Sprintf("%s stays checked out: %v", s.Branch, err)})
		}
		r.passed("branch_left")
	}
	ahead, err := r.ahead(l, s)
	switch {
	case err != nil:
		return err
	case ahead && on == s.Branch:
		r.tell(Note{Kind: Branched, Text: fmt.Sprintf("%s has the commits: git merge %s", s.Branch, s.Branch)})
	case !ahead:
		if _, err := l.Work.Repo().Run(ctx, git.Call{Args: []string{"branch", "-q", "-D", s.Branch}}); err != nil { // git keeps one that is checked out
			return err
		}
		r.shield.shared.Moved("refs/heads/"+s.Branch, "")
	}
	return nil
}

// met tells whether all stages reached their ends.
func (r *run) met(s *session.State) bool {
	for i := range s.Len() {
		if st, err := s.Stage(i); err != nil || st.Status != session.Completed {
			return false
		}
	}
	return !r.Unmet(s)
}

// ahead tells whether the session's branch has commits that the one it began on
// lacks.
func (r *run) ahead(l *land.Lander, s *session.State) (bool, error) {
	own, err := l.Tip(s.Branch)
	if err != nil || own == "" {
		return false, err
	}
	target, err := l.Tip(s.BeganOn)
	if err != nil || target == "" {
		return true, err
	}
	in, err := l.Work.Repo().Descends(target, own)
	return !in, err
}

// merge brings the session's commits to the branch that it began on. Nothing is
// pushed.
func (r *run) merge(ctx context.Context, l *land.Lander, s *session.State) error {
	free, err := l.Merging(ctx)
	if err != nil {
		return err
	}
	defer free()
	for range land.Tries {
		ahead, err := r.ahead(l, s)
		if err != nil || !ahead {
			return err
		}
		tip, err := r.onto(ctx, l, s)
		if err != nil {
			return err
		}
		late, err := l.Merge(ctx, s.Branch, s.BeganOn, tip)
		if err == nil && !late {
			r.tell(Note{Kind: Branched, Text: fmt.Sprintf("%s is merged into %s", s.Branch, s.BeganOn)})
		}
		if err != nil || !late {
			return err
		}
	}
	return fmt.Errorf("others moved %s %d times meanwhile", s.BeganOn, land.Tries)
}

// onto rebases the session's branch where the one that it began on has moved on,
// and checks what comes of that.
func (r *run) onto(ctx context.Context, l *land.Lander, s *session.State) (tip string, err error) {
	tip, err = l.Tip(s.Branch)
	if err != nil {
		return "", err
	}
	target, err := l.Tip(s.BeganOn)
	if err == nil && target == "" {
		err = fmt.Errorf("%s is gone", s.BeganOn)
	}
	if err != nil {
		return "", err
	}
	if on, err := l.Work.Repo().Descends(tip, target); err != nil || on {
		return tip, err
	}
	next, conflict, err := l.Work.Rebase(ctx, tip, target)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		return "", errors.Join(l.Work.Abandon(ctx, conflict.Dir), fmt.Errorf("it conflicts with %s in %s", s.BeganOn, text.Quote(conflict.Files, 5)))
	}
	return next, l.Follow(ctx, s.Branch, next)
}
