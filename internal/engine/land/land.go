// Package land brings finished work to its target: it commits once, rebases, pushes, and moves the
// target branch, one engine at a time.
//
// It guarantees:
//
//   - A commit carries a trailer. If a commit with that trailer exists, it is used,
//     whatever died after it was made.
//   - No commit that adds a secret (leak.Scanner) is made, pushed or merged: that is
//     a *leak.FoundError. None is made or pushed that the repository's own hooks
//     refuse: that is a *hookError.
//   - The remote moves first: if others pushed first, nothing has to be undone here.
//     Before each push, warp checks for pushes that it did not make (guard.Remote).
//   - A checked-out target advances only if the person's own changes do not overlap;
//     that is checked before anything is pushed.
//
// Other packages decide whether work may land.
package land

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/conductor"
	"warp/internal/engine/guard"
	"warp/internal/engine/leak"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/proc"
)

// Lander lands the work of one work tree.
type Lander struct {
	Work    gitwrite.Tree
	Guard   *guard.Guard   // learns of moves; may be nil
	Remote  *guard.Remote  // nil: no remote
	Leaks   *leak.Scanner  // refuses commits with secrets; nil: no scan
	Home    *durable.Store // of the main work tree, which has the merge lease
	Process step.Process
	// Conductor is asked before each push; nil: everything is allowed.
	Conductor *conductor.Conductor
	// Moved tells the repository's other engines that a branch moved.
	Moved  func(branch, old, new string)
	Wait   func(ctx context.Context, until time.Time, why string) error // for the network
	Remark func(format string, args ...any)
	Passed func(point string)
	Now    func() time.Time
	Hooks  Hooks
	cache
}

// cache caches what a lander found out once.
type cache struct {
	looked  bool   // FindRemote has looked for a remote
	scanned string // a commit and tree without new secrets
	// previews are the trees that commits would have, by changeKey.
	previews map[string]string
}

const (
	networkTries = 3
	networkPause = 2 * time.Second
	// Tries is how often others may move the target first.
	Tries      = 3
	mergeLease = "warp-merge"
	lookAgain  = 200 * time.Millisecond
)

// Commit is a change to commit once.
type Commit struct {
	gitwrite.Change
	Branch  string   // must be checked out
	Trailer string   // a line of the message that no other commit has
	Since   []string // commits older than the work
	Asked   []string // the texts of the criteria
	Hooked  bool     // the repository's hooks were asked already
}

// BranchError reports that another branch than the work's is checked out.
type BranchError struct{ Want, Have string }

func (e *BranchError) Error() string {
	if e.Have == "" {
		e.Have = "no branch"
	}
	return fmt.Sprintf("the work is on %s, and %s is checked out", e.Want, e.Have)
}

// Commit commits a change; "" if there is nothing to commit. again means that the commit was made
// before.
func (l *Lander) Commit(ctx context.Context, c Commit) (hash string, again bool, err error) {
	if on, err := l.Work.Repo().Branch(); err != nil || c.Branch != "" && on != c.Branch {
		return "", false, errors.Join(err, &BranchError{c.Branch, on})
	}
	if hash, err = l.Find(c.Trailer, c.Since...); err != nil {
		return "", false, err
	}
	if hash != "" {
		head, err := l.Work.Repo().Head()
		if err == nil && head == hash { // a crash may have come before the index was updated
			err = l.Work.Refresh(ctx, hash)
		}
		return hash, true, err
	}
	key, err := changeKey(l.Work, c.Change)
	if err != nil {
		return "", false, err
	}
	c.Change.Check = func(ctx context.Context, parent, tree string) error {
		if was := l.previews[key]; was != "" && was != tree {
			l.previews = nil
			return &TestedError{was, tree}
		}
		err := l.scan(ctx, parent, tree)
		if err == nil && !c.Hooked {
			err = l.askHooks(ctx, parent, tree, c.Message, c.Asked)
		}
		return err
	}
	// A run elsewhere that ends at this moment would think an agent moved the branch, and restore
	// it (a task's work was once lost from a workflow this way).
	c.Change.Moving = func(hash string) error { return announce(l.Guard, c.Branch, hash) }
	hash, err = l.Work.Commit(ctx, c.Change)
	switch {
	case errors.Is(err, gitwrite.ErrNothing):
		return "", false, nil
	case hash == "":
		return "", false, err
	case err != nil:
		l.Remark("%v", err)
	}
	l.pass("committed in git")
	return hash, false, l.tellGuard(ctx, c.Branch, hash)
}

// tellGuard records that the engine itself moved a branch, so that it is not restored. An empty
// branch means none is checked out.
func (l *Lander) tellGuard(ctx context.Context, branch, to string) error {
	if l.Guard == nil {
		return nil
	}
	if branch != "" {
		if err := l.Guard.RecordMove("refs/heads/"+branch, to); err != nil {
			return err
		}
	}
	return l.Guard.Settle(ctx)
}

// Find returns the commit with a trailer that HEAD has and others lack, or "".
func (l *Lander) Find(trailer string, lack ...string) (string, error) {
	head, err := l.Work.Repo().Head()
	if err != nil || trailer == "" || head == "" {
		return "", err
	}
	return FindIn(l.Work.Repo(), head, trailer, lack...)
}

// FindIn returns the newest commit with a trailer in a tip's history.
func FindIn(repo git.Repo, tip, trailer string, lack ...string) (hash string, err error) {
	list, err := repo.Commits(tip, lack...)
	for _, c := range list {
		if slices.Contains(strings.Split(c.Message, "\n"), trailer) {
			hash = c.Hash
		}
	}
	return hash, err
}

// TakeMergeLease takes the repository's merge lease, and waits for it as long as the context lives.
func (l *Lander) TakeMergeLease(ctx context.Context) (free func(), err error) {
	me := l.Process.Holder()
	for said := false; ; said = true {
		hold, _, err := l.Home.Acquire(mergeLease, me, proc.Started)
		var locked *durable.LockedError
		switch {
		case err == nil:
			return func() { _ = hold.Release() }, nil
		case !errors.As(err, &locked):
			return nil, err
		}
		if !said {
			l.Remark("Waiting for process %d, which is merging", locked.PID)
		}
		if err := proc.Pause(ctx, lookAgain); err != nil {
			return nil, err
		}
	}
}

// isTransient reports whether an error may be gone on a retry.
func isTransient(err error) bool {
	var p *gitwrite.RemoteError
	return errors.As(err, &p) && p.Kind == gitwrite.Network
}

// Retry runs do, and repeats it after network errors.
func (l *Lander) Retry(ctx context.Context, do func() error) error {
	err := do()
	for n := 1; err != nil && isTransient(err) && n <= networkTries; n++ {
		if wait := l.Wait(ctx, l.Now().Add(networkPause<<n), "network: "+err.Error()); wait != nil {
			return wait
		}
		err = do()
	}
	return err
}

func (l *Lander) pass(point string) {
	if l.Passed != nil {
		l.Passed(point)
	}
}
