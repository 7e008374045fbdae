// Package land brings finished work where it belongs: it commits once, rebases,
// pushes, and moves the branch that is merged into, one engine at a time.
//
// It guarantees:
//
//   - A commit carries a trailer, and one with the same trailer that is there
//     already is that commit, whatever died after it was made.
//   - No commit is made, and none is pushed or merged, that adds a secret
//     (leak.Scanner): it is a *leak.FoundError. None is made or pushed that the
//     repository's own hooks refuse: it is a *HookError.
//   - The remote moves first: when others were faster there, nothing has to be
//     undone here. Before each push warp checks whether something else has pushed
//     there (guard.Remote).
//   - A target that is checked out advances only where the person's own changes do
//     not overlap; that is found out before anything is pushed.
//
// Whether work may land is judged before, by others.
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
	Guard   *guard.Guard   // learns what is moved; nil: there is none
	Remote  *guard.Remote  // nil: there is no remote
	Leaks   *leak.Scanner  // refuses commits with secrets; nil: nothing is scanned
	Home    *durable.Store // of the main work tree, where the lease on merging is
	Process step.Process
	// Conductor is asked before each push; nil: everything goes.
	Conductor *conductor.Conductor
	// Moved tells other engines of the repository that a branch was moved.
	Moved  func(branch, old, new string)
	Wait   func(ctx context.Context, until time.Time, why string) error // for the network
	Remark func(format string, args ...any)
	Passed func(point string)
	Now    func() time.Time
	Hooks  Hooks
	known
}

// known is what a lander has found out once.
type known struct {
	looked  bool   // for a remote
	scanned string // the commit and the tree that add no secrets
	// previews are the trees that commits would have, by what they are made of.
	previews map[string]string
}

const (
	networkTries = 3
	networkPause = 2 * time.Second
	// Tries is how often others may be faster.
	Tries      = 3
	mergeLease = "warp-merge"
	lookAgain  = 200 * time.Millisecond
)

// Commit is a change to be committed once.
type Commit struct {
	gitwrite.Change
	Branch  string   // that must be checked out
	Trailer string   // a line of the message that no other commit has
	Since   []string // commits that are older than the work
	Asked   []string // what the criteria say
	Hooked  bool     // the repository's hooks were asked
}

// BranchError says that another branch is checked out than the work's.
type BranchError struct{ Want, Have string }

func (e *BranchError) Error() string {
	if e.Have == "" {
		e.Have = "no branch"
	}
	return fmt.Sprintf("the work is on %s, and %s is checked out", e.Want, e.Have)
}

// Commit commits a change; "" when there is nothing to commit. Again says that the
// commit was made before.
func (l *Lander) Commit(ctx context.Context, c Commit) (hash string, again bool, err error) {
	if on, err := l.Work.Repo().Branch(); err != nil || c.Branch != "" && on != c.Branch {
		return "", false, errors.Join(err, &BranchError{c.Branch, on})
	}
	if hash, err = l.Find(c.Trailer, c.Since...); err != nil {
		return "", false, err
	}
	if hash != "" {
		head, err := l.Work.Repo().Head()
		if err == nil && head == hash { // the index may not have followed before a crash
			err = l.Work.Refresh(ctx, hash)
		}
		return hash, true, err
	}
	key, err := keyOf(l.Work, c.Change)
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
	// A run elsewhere that ends at this moment would take the branch for moved by an agent,
	// and put it back (a task's work was once left out of a workflow so).
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

// tellGuard says that the engine itself has moved a branch, so that it is not put
// back; "": no branch is checked out.
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

// Find is the commit with a trailer that HEAD has and others lack; "": none.
func (l *Lander) Find(trailer string, lack ...string) (string, error) {
	head, err := l.Work.Repo().Head()
	if err != nil || trailer == "" || head == "" {
		return "", err
	}
	return FindIn(l.Work.Repo(), head, trailer, lack...)
}

// FindIn is the newest commit with a trailer in the past of a tip.
func FindIn(repo git.Repo, tip, trailer string, lack ...string) (hash string, err error) {
	list, err := repo.Commits(tip, lack...)
	for _, c := range list {
		if slices.Contains(strings.Split(c.Message, "\n"), trailer) {
			hash = c.Hash
		}
	}
	return hash, err
}

// Merging takes the one place in which a repository is merged into, and waits for
// it as long as the context lives.
func (l *Lander) Merging(ctx context.Context) (free func(), err error) {
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
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lookAgain):
		}
	}
}

// passing reports whether an error may be gone when the same is tried again.
func passing(err error) bool {
	var p *gitwrite.RemoteError
	return errors.As(err, &p) && p.Kind == gitwrite.Network
}

// Retry tries again what failed on the way to another machine.
func (l *Lander) Retry(ctx context.Context, do func() error) error {
	err := do()
	for n := 1; err != nil && passing(err) && n <= networkTries; n++ {
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
