package land

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/commit"
	"warp/internal/core/conduct"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// DivergedError reports that a branch has different new commits here and on the remote.
type DivergedError struct{ Branch, Remote string }

func (e *DivergedError) Error() string {
	return fmt.Sprintf("%s and %s/%s have diverged", e.Branch, e.Remote, e.Branch)
}

// Update fast-forwards a local branch to the remote's.
func (l *Lander) Update(ctx context.Context, branch string) error {
	if l.Remote == nil {
		return nil
	}
	remote := l.Remote.Name
	var at map[string]string
	err := l.Retry(ctx, func() (err error) { at, err = l.Remote.Fetch(ctx, branch); return err })
	there := at[branch]
	if err != nil || there == "" {
		return err
	}
	here, err := l.Tip(branch)
	if err != nil || here == there {
		return err
	}
	repo := l.Work.Repo()
	if ahead, err := repo.Descends(here, there); err != nil || ahead {
		if ahead {
			l.Remark("%s has commits that were never pushed: merging also pushes them", branch)
		}
		return err
	}
	if behind, err := repo.Descends(there, here); err != nil || !behind {
		return errors.Join(err, &DivergedError{branch, remote})
	}
	return l.Advance(ctx, branch, there)
}

// Place returns the repository's place, while the given work tree exists: a deleted one must not be
// mistaken for a repository around it.
func (l *Lander) Place() (git.Place, bool) {
	return git.LocateIn(l.Work.Top(), l.Work.Top())
}

// Tip returns the commit of a branch, or "".
func (l *Lander) Tip(branch string) (string, error) {
	place, ok := l.Place()
	if !ok {
		return "", git.ErrNotRepo
	}
	return place.Tip(branch)
}

// CheckedOut returns the branch that is checked out, or "".
func (l *Lander) CheckedOut() (string, error) {
	place, ok := l.Place()
	if !ok {
		return "", git.ErrNotRepo
	}
	return place.Checked()
}

// FindRemote determines once where the repository is pushed to; nil: nowhere.
func (l *Lander) FindRemote(ctx context.Context) (*guard.Remote, error) {
	if l.looked || l.Remote != nil {
		return l.Remote, nil
	}
	name, ok, err := l.Work.Remotes().Choose(ctx)
	if err != nil {
		return nil, err
	}
	if l.looked = true; ok {
		l.Remote = &guard.Remote{Work: l.Work, Name: name, Remark: l.Remark, Ours: KnowCommits(l.Home)}
	}
	return l.Remote, nil
}

// KnowCommits returns a function that reports whether warp made a commit, by the journal: each is
// recorded there before it is pushed. Rebased ones count too.
func KnowCommits(home *durable.Store) func(context.Context, string) bool {
	return func(_ context.Context, commit string) bool {
		var book evidence.Book
		if home == nil {
			return false
		}
		_, err := home.Events(func(r event.Row) bool { book.Take(r); return true })
		return err == nil && slices.ContainsFunc(book.Commits, func(c evidence.Entry[evidence.Commit]) bool { return c.Row.Hash == commit || c.Row.Was == commit })
	}
}

// Parent returns the commit before a commit, or "" if unknown.
func (l *Lander) Parent(ctx context.Context, commit string) string {
	a, err := l.Work.Repo().Run(ctx, git.Call{Args: []string{"rev-parse", "--verify", "-q", commit + "^"}})
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(a.Stdout))
}

// styleDepth is how many commits show a project's style.
const styleDepth = "50"

// Style returns how the newest commits read.
func (l *Lander) Style(ctx context.Context) commit.Style {
	a, err := l.Work.Repo().Run(ctx, git.Call{Args: []string{"log", "--no-merges", "--format=%s", "-n", styleDepth, "HEAD", "--"}})
	if err != nil {
		return commit.Style{} // it is only words
	}
	return commit.StyleOf(strings.Split(strings.TrimSpace(string(a.Stdout)), "\n"))
}

// CheckOverlap refuses to move a checked-out branch if the person's own changes overlap with what
// it would get. It is called before anything is pushed.
func (l *Lander) CheckOverlap(ctx context.Context, branch, to string) error {
	blocking, err := l.Work.Overlapping(ctx, branch, to)
	if err == nil && len(blocking) > 0 {
		err = &OverlapError{branch, blocking}
	}
	return err
}

// OverlapError reports that landing waits for a person.
type OverlapError struct {
	Branch string
	Paths  []string
}

func (e *OverlapError) Error() string {
	return fmt.Sprintf("%s is checked out, and your uncommitted changes overlap with what it would get: %s", e.Branch, text.Quote(e.Paths, 5))
}

// Advance fast-forwards a branch, and tells the repository's other engines.
func (l *Lander) Advance(ctx context.Context, branch, to string) error {
	was, err := l.Tip(branch)
	if err != nil || was == to {
		return err
	}
	if err := announce(l.Guard, branch, to); err != nil {
		return err
	}
	if err := l.Work.FastForward(ctx, branch, to); err != nil {
		return err
	}
	l.pass("target moved")
	if err := l.tellGuard(ctx, branch, to); err != nil {
		return err
	}
	if l.Moved != nil {
		l.Moved(branch, was, to)
	}
	return nil
}

// Follow moves the checked-out branch to a rebased commit.
func (l *Lander) Follow(ctx context.Context, branch, to string) error {
	if err := announce(l.Guard, branch, to); err != nil {
		return err
	}
	if err := l.Work.Follow(ctx, branch, to); err != nil {
		return err
	}
	return l.tellGuard(ctx, branch, to)
}

// announce tells other engines' guards about a move in advance.
func announce(g *guard.Guard, branch, to string) error {
	if g == nil || branch == "" {
		return nil
	}
	return g.AnnounceMove("refs/heads/"+branch, to)
}

// Rebased holds the tips of a branch and its target, and the branch's rebased tip.
type Rebased struct{ Tip, Target, Next string }

// Rebase rebases a branch onto its target outside the work tree; the branch itself stays. Next is
// the tip if no rebase is needed, and "" on a conflict.
func (l *Lander) Rebase(ctx context.Context, branch, target string) (r Rebased, c *gitwrite.Conflict, err error) {
	if r.Tip, err = l.Tip(branch); err != nil {
		return r, nil, err
	}
	if r.Target, err = l.Tip(target); err != nil {
		return r, nil, err
	}
	on, err := l.Work.Repo().Descends(r.Tip, r.Target)
	if err != nil {
		return r, nil, err
	}
	if on {
		r.Next = r.Tip
		return r, nil, nil
	}
	r.Next, c, err = l.Work.Apart().Rebase(ctx, r.Tip, r.Target)
	return r, c, err
}

// Push pushes a branch's judged commit to the remote, after checking that nothing else has pushed
// there. It retries while the network is down.
func (l *Lander) Push(ctx context.Context, branch, tip string) error {
	return l.push(ctx, branch, branch, tip, l.Retry)
}

// PushOnce is Push without retries.
func (l *Lander) PushOnce(ctx context.Context, branch, tip string) error {
	return l.push(ctx, branch, branch, tip, func(_ context.Context, do func() error) error { return do() })
}

// push pushes a commit of a branch, under that or another name. The branch is not read again: what
// a process that an agent left behind adds to it in between was neither judged nor searched for
// secrets.
func (l *Lander) push(ctx context.Context, branch, as, tip string, try func(context.Context, func() error) error) (err error) {
	if l.Remote == nil {
		return nil
	}
	if tip == "" {
		return fmt.Errorf("pushing %s: the branch is gone", branch)
	}
	if err := l.scanCommits(ctx, tip); err != nil {
		return err
	}
	if err := l.Remote.Check(ctx, "refs/heads/"+branch); err != nil {
		return err
	}
	byGit, err := l.askPush(ctx, branch, as, tip)
	if err != nil {
		return err
	}
	if err := try(ctx, func() error {
		if _, err := l.Conductor.Ask(ctx, conduct.Say{Kind: conduct.Push, What: as}); err != nil {
			return err
		}
		return l.Work.Remotes().Push(ctx, l.Remote.Name, branch, gitwrite.PushOptions{As: as, Tip: tip, Hooks: byGit})
	}); err != nil {
		return err
	}
	l.Remote.Pushed(as, tip)
	return nil
}

// Merge pushes a branch as the target and moves the target here. late means that the target moved
// first: rebase again.
func (l *Lander) Merge(ctx context.Context, branch, target, tip string) (late bool, err error) {
	if err := l.CheckOverlap(ctx, target, tip); err != nil {
		return false, err
	}
	if l.Leaks != nil {
		had, err := l.Tip(target)
		if err == nil {
			err = l.scanCommits(ctx, tip, had)
		}
		if err != nil {
			return false, err
		}
	}
	if l.Remote != nil {
		err := l.push(ctx, branch, target, tip, l.Retry)
		if p, is := errors.AsType[*gitwrite.RemoteError](err); is && p.Kind == gitwrite.Rejected {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		l.pass("target pushed")
	}
	// Everybody else sees it merged already: a stop waits until it is here too.
	err = l.Advance(context.WithoutCancel(ctx), target, tip)
	if _, behind := errors.AsType[*gitwrite.NotFastForward](err); behind {
		return true, nil
	}
	if err == nil {
		l.pass("merged in git")
	}
	return false, err
}
