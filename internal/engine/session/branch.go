package session

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"warp/internal/core/session"
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

// checkOut checks a branch out while no agent is at work in the work tree.
func (b *branch) checkOut(ctx context.Context, name string) error {
	free, err := step.TakeTurn(ctx, b.land.Guard.TurnFile(), "another agent is at work in this work tree", b.land.Remark)
	if err != nil {
		return err
	}
	defer free()
	return b.land.Work.Branch(context.WithoutCancel(ctx), name, "")
}

// stopTime is how long a session that was stopped waits for the work tree.
const stopTime = 2 * time.Second

// leave checks out what the session began on, and says where its commits are. It may
// be killed at any moment and done again.
func (b *branch) leave(ctx context.Context, s *session.State) error {
	if b == nil || s.Branch == "" {
		return nil
	}
	if ctx.Err() != nil { // a person has stopped it, and does not want to wait
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
	}
	on, err := b.land.Work.Repo().Branch()
	if err != nil {
		return err
	}
	if on == s.Branch {
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
	ahead, err := b.ahead(s)
	switch {
	case err != nil:
		return err
	case ahead:
		b.tell("%s has the commits: git merge %s", s.Branch, s.Branch)
		return nil
	}
	_, err = b.land.Work.Repo().Run(context.WithoutCancel(ctx), git.Call{Args: []string{"branch", "-q", "-D", s.Branch}}) // git keeps one that is checked out
	return err
}

// ahead tells whether the session's branch has commits which the one that it began on
// lacks.
func (b *branch) ahead(s *session.State) (bool, error) {
	own, err := b.land.Tip(s.Branch)
	if err != nil || own == "" {
		return false, err
	}
	target, err := b.land.Tip(s.BeganOn)
	if err != nil || target == "" {
		return true, err
	}
	in, err := b.land.Work.Repo().Descends(target, own)
	return !in, err
}
