package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"warp/internal/core/session"
	"warp/internal/core/text"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// branch is where a session commits: one of its own, so that a person sees what it
// made before it is among theirs. A nil one is of a session that commits nothing.
type branch struct {
	session string
	shield  *shield
	land    *land.Lander
	tell    func(format string, args ...any)
	passed  func(point string)
	check   func(ctx context.Context) error // of the work tree, after a rebase
}

// reserve waits until no other session that commits runs in this work tree: each
// checks out its own branch.
func (b *branch) reserve(ctx context.Context) (free func(), err error) {
	if b == nil {
		return func() {}, nil
	}
	file := filepath.Join(filepath.Dir(b.land.Guard.TurnFile()), "sessions.lock")
	return step.TakeTurn(ctx, file, "another session commits in this work tree, on a branch of its own", b.land.Remark)
}

// name names the session's branch and the one that it begins on, before they are
// recorded: what is killed then finds both. Without a branch or a commit to begin
// with it works on what is checked out.
func (b *branch) name(s *session.State) error {
	if b == nil {
		return nil
	}
	repo := b.land.Work.Repo()
	head, err := repo.Head()
	if err != nil || head == "" {
		return err
	}
	on, err := repo.Branch()
	if own := place.FreeBranch(repo, "session/"+s.Session, head); err == nil && on != "" && on != own {
		s.Branch, s.BeganOn = own, on
	}
	return err
}

// enter checks the session's branch out, from the one that it began on. One that
// is gone is made again: its commits were merged, or there were none.
func (b *branch) enter(ctx context.Context, s *session.State) error {
	if b == nil || s.Branch == "" {
		return nil
	}
	b.shield.branches = []string{s.Branch, s.BeganOn}
	repo := b.land.Work.Repo()
	on, err := repo.Branch()
	switch {
	case err != nil || on == s.Branch:
		return err
	case on == s.BeganOn:
		err = b.checkOut(ctx, s.Branch)
		b.passed("branch_made")
		return err
	}
	want := s.Branch
	if _, err := repo.Ref("refs/heads/" + want); err != nil {
		want = s.BeganOn
	}
	if on == "" {
		on = "no branch"
	}
	return fmt.Errorf("the session %[1]s works on %[2]s, and %[3]s is checked out: git switch %[4]s, then warp sessions resume %[1]s", b.session, s.Branch, on, want)
}

// checkOut checks a branch out while no agent is at work.
func (b *branch) checkOut(ctx context.Context, name string) error {
	free, err := step.TakeTurn(ctx, b.land.Guard.TurnFile(), "another agent is at work in this work tree", b.land.Remark)
	if err != nil {
		return err
	}
	defer free()
	return b.land.Work.Branch(ctx, name, "")
}

// leave merges the session's commits, or says where they are, and checks out what
// the session began on. It may be killed at any moment and done again.
func (b *branch) leave(ctx context.Context, s *session.State, merge bool) error {
	if b == nil || s.Branch == "" {
		return nil
	}
	on, err := b.land.Work.Repo().Branch()
	if err != nil {
		return err
	}
	if on == s.Branch {
		if merge {
			if err := b.merge(ctx, s); err != nil {
				b.tell("%s is not merged: %v", s.Branch, err)
			}
		}
		target, err := b.land.Tip(s.BeganOn)
		if err == nil && target == "" {
			err = fmt.Errorf("%s, which it began on, is gone", s.BeganOn)
		}
		if err == nil {
			err = b.checkOut(ctx, s.BeganOn)
		}
		if err != nil {
			b.tell("%s stays checked out: %v", s.Branch, err)
		}
		b.passed("branch_left")
	}
	_, _, ahead, err := b.tips(s)
	switch {
	case err != nil:
		return err
	case ahead:
		b.tell("%s has the commits: git merge %s", s.Branch, s.Branch)
		return nil
	}
	_, err = b.land.Work.Repo().Run(ctx, git.Call{Args: []string{"branch", "-q", "-D", s.Branch}}) // git keeps one that is checked out
	return err
}

// tips are the session's branch and the one that it began on, "" where they are
// gone. Ahead says that the first has commits which the other lacks.
func (b *branch) tips(s *session.State) (own, target string, ahead bool, err error) {
	if own, err = b.land.Tip(s.Branch); err != nil || own == "" {
		return own, "", false, err
	}
	if target, err = b.land.Tip(s.BeganOn); err != nil || target == "" {
		return own, target, true, err
	}
	in, err := b.land.Work.Repo().Descends(target, own)
	return own, target, !in, err
}

// merge brings the session's commits to the branch that it began on. Nothing is
// pushed.
func (b *branch) merge(ctx context.Context, s *session.State) error {
	free, err := b.land.Merging(ctx)
	if err != nil {
		return err
	}
	defer free()
	for range land.Tries {
		own, target, ahead, err := b.tips(s)
		if err == nil && ahead && target == "" {
			err = fmt.Errorf("%s is gone", s.BeganOn)
		}
		if err != nil || !ahead {
			return err
		}
		if own, err = b.onto(ctx, s, own, target); err != nil {
			return err
		}
		late, err := b.land.Merge(ctx, s.Branch, s.BeganOn, own)
		if err != nil {
			return err
		}
		if !late {
			b.tell("%s is merged into %s", s.Branch, s.BeganOn)
			return nil
		}
	}
	return fmt.Errorf("others moved %s %d times meanwhile", s.BeganOn, land.Tries)
}

// onto rebases the session's branch where the one that it began on has moved on,
// and checks what comes of that.
func (b *branch) onto(ctx context.Context, s *session.State, own, target string) (string, error) {
	if on, err := b.land.Work.Repo().Descends(own, target); err != nil || on {
		return own, err
	}
	next, conflict, err := b.land.Work.Rebase(ctx, own, target)
	if err != nil {
		return "", err
	}
	if conflict != nil {
		return "", errors.Join(b.land.Work.Abandon(ctx, conflict.Dir), fmt.Errorf("it conflicts with %s in %s", s.BeganOn, text.Quote(conflict.Files, 5)))
	}
	if err := b.land.Follow(ctx, s.Branch, next); err != nil {
		return "", err
	}
	return next, b.check(ctx)
}
