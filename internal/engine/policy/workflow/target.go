package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/sys/git"
)

// target is the branch to merge the work into. It is chosen when the workflow starts, and never
// changes.
type target struct{ run *run }

// find determines the target. Git's guess, the checked-out branch, is accepted only if there is no
// other: a deleted main branch looks like one that never existed.
func (t target) find(ctx context.Context) (string, error) {
	repo := t.run.Work.Repo()
	main, err := repo.MainBranch()
	if err != nil {
		return "", fmt.Errorf("finding the merge target: %w", err)
	}
	if err := t.exists(main); err != nil {
		return "", err
	}
	known, err := t.isNamed(ctx, main)
	if err != nil || known {
		return main, err
	}
	others, err := t.otherBranches(ctx, main)
	switch {
	case err != nil:
		return "", err
	case isWarpBranch(main) || len(others) > 0:
		return "", fmt.Errorf("the merge target is unclear: there is neither main nor master here (if it was deleted, git branch main COMMIT recreates it), "+
			"and %s is not the only branch; git config init.defaultBranch NAME sets it", text.Quote(append([]string{main}, others...), 5))
	}
	return main, nil
}

// isNamed reports whether something names a branch as the main one.
func (t target) isNamed(ctx context.Context, branch string) (bool, error) {
	if branch == "main" || branch == "master" {
		return true, nil
	}
	repo := t.run.Work.Repo()
	for _, args := range [][]string{{"symbolic-ref", "-q", "--short", "refs/remotes/origin/HEAD"}, {"config", "--get", "init.defaultBranch"}} {
		a, err := repo.Run(ctx, git.Call{Args: args})
		if err != nil {
			return false, err
		}
		if strings.TrimPrefix(strings.TrimSpace(string(a.Stdout)), "origin/") == branch {
			return true, nil
		}
	}
	return false, nil
}

// otherBranches returns the other branches that work could be merged into, here and at the origin,
// except for warp's own.
func (t target) otherBranches(ctx context.Context, branch string) ([]string, error) {
	out, err := t.run.Work.Repo().Must(ctx, git.Call{Args: []string{"for-each-ref", "--format=%(refname)", "refs/heads", "refs/remotes/origin/main", "refs/remotes/origin/master"}})
	var list []string
	for ref := range strings.FieldsSeq(string(out)) {
		name := strings.TrimPrefix(strings.TrimPrefix(ref, "refs/heads/"), "refs/remotes/")
		if name != branch && !isWarpBranch(name) {
			list = append(list, name)
		}
	}
	return list, err
}

// isWarpBranch reports whether warp works on a branch.
func isWarpBranch(branch string) bool {
	return slices.ContainsFunc([]string{"workflow/", "session/", "warp/"}, func(prefix string) bool { return strings.HasPrefix(branch, prefix) })
}

func (t target) exists(branch string) error {
	_, err := t.run.Work.Repo().Ref("refs/heads/" + branch)
	if errors.Is(err, git.ErrNoRef) {
		return fmt.Errorf("the merge target %s is gone (git branch %s COMMIT recreates it)", branch, branch)
	}
	return err
}

// ofWorkflow returns the target of a workflow that was started before.
func (t target) ofWorkflow(ctx context.Context, s *workflowstate.State) (string, error) {
	if s.Target != "" {
		return s.Target, nil
	}
	return t.find(ctx) // started by an older version
}

// check returns why nothing can be merged now: the target is gone, or the repository has another
// main branch since. Work made for one branch is not merged into another.
func (t target) check() error {
	main := t.run.target
	if err := t.exists(main); err != nil {
		return err
	}
	now, err := t.run.Work.Repo().MainBranch()
	if err != nil || now == main || isWarpBranch(now) || t.run.now().Target == "" {
		return err
	}
	if tip, err := t.run.Work.Repo().Ref("refs/remotes/origin/" + now); err != nil || tip == "" {
		return nil // git's guess, among local branches
	}
	return errors.New("the merge target is " + main + ", but the main branch of the repository is now " + now + " (origin/HEAD): " +
		"git remote set-head origin " + main + " makes it " + main + " again; warp workflow abort ends the workflow and leaves its commits on its branch")
}
