package session

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// Traces are what a session has left in a repository: work trees and branches of its
// stages, the branch that it commits on, and references.
type Traces struct {
	Work   work.Tree
	Name   string
	Branch string // that it committed on; "": none
	Force  bool   // also what has commits that are nowhere else
}

// Remove takes them away and says what is kept, and why: commits that are nowhere
// else, a branch that is checked out, and files of a person's that a choice replaced.
func (t Traces) Remove(ctx context.Context) (kept []string, err error) {
	if err := t.removeTrees(ctx); err != nil {
		return nil, err
	}
	own := "refs/heads/warp/" + t.Name + "/"
	refs, err := t.list(ctx, own, "refs/warp/session/"+t.Name+"/")
	if err != nil {
		return nil, err
	}
	if t.Branch != "" {
		more, err := t.list(ctx, "refs/heads/"+t.Branch)
		if err != nil {
			return nil, err
		}
		refs = append(refs, more...)
	}
	trees, err := t.Work.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		why, err := t.needed(ctx, ref, trees)
		if err != nil {
			return kept, err
		}
		if why != "" {
			kept = append(kept, why)
			continue
		}
		if _, err := t.git(ctx, "update-ref", "-d", ref); err != nil {
			return kept, err
		}
	}
	return kept, nil
}

// removeTrees removes the work trees of the session's stages: those on its branches.
// Names alone would not do, a-b may be the session a-b or the stage b of a.
func (t Traces) removeTrees(ctx context.Context) error {
	trees, err := t.Work.Worktrees(ctx)
	if err != nil {
		return err
	}
	for _, w := range trees {
		stage, ours := strings.CutPrefix(w.Branch, "warp/"+t.Name+"/")
		ours = ours && filepath.Base(w.Path) == "session-"+t.Name+"-"+stage || t.Branch != "" && w.Branch == t.Branch && filepath.Base(w.Path) == placeOf(t.Branch)
		if !ours || !strings.Contains(filepath.ToSlash(w.Path), "/.claude/worktrees/") {
			continue
		}
		if _, err := t.git(ctx, "worktree", "remove", "--force", "--force", "--", w.Path); err != nil && !w.Missing {
			return err
		}
	}
	_, err = t.git(ctx, "worktree", "prune")
	return err
}

// needed says why a reference is kept; "": it can go.
func (t Traces) needed(ctx context.Context, ref string, trees []work.Worktree) (string, error) {
	branch, is := strings.CutPrefix(ref, "refs/heads/")
	if !is {
		if strings.HasSuffix(ref, "-yours") && !t.Force {
			return fmt.Sprintf("%s has your own version of files that the session replaced; it is kept (--force: not)", ref), nil
		}
		return "", nil
	}
	if i := slices.IndexFunc(trees, func(w work.Worktree) bool { return w.Branch == branch }); i >= 0 {
		return fmt.Sprintf("the branch %s is checked out in %s; it is kept", branch, trees[i].Path), nil
	}
	if t.Force {
		return "", nil
	}
	// What keeps the session's own copies does not count: it goes as well.
	out, err := t.git(ctx, "rev-list", "-n", "1", ref, "--not", "--exclude="+branch, "--exclude=warp/"+t.Name+"/*", "--branches", "--tags", "--remotes")
	if err != nil || strings.TrimSpace(out) == "" {
		return "", err
	}
	return fmt.Sprintf("the branch %[1]s has commits that are nowhere else; it is kept: git merge %[1]s merges it, git branch -D %[1]s removes it", branch), nil
}

func (t Traces) list(ctx context.Context, patterns ...string) ([]string, error) {
	out, err := t.git(ctx, append([]string{"for-each-ref", "--format=%(refname)"}, patterns...)...)
	return strings.Fields(out), err
}

func (t Traces) git(ctx context.Context, args ...string) (string, error) {
	a, err := t.Work.Repo().Run(ctx, git.Call{Args: args})
	if err == nil && a.Exit != 0 {
		err = &git.Failure{Args: args, Dir: t.Work.Repo().Dir, Exit: a.Exit, Stderr: a.Stderr}
	}
	return string(a.Stdout), err
}
