package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// Traces are what a session left in a repository: its stages' work trees and branches, the branch
// it commits on, and refs.
type Traces struct {
	Work   gitwrite.Tree
	Name   string // "": an earlier session of a name, which owns only its branch
	Branch string // the branch it committed on; "": none
	Force  bool   // also remove work that exists nowhere else
}

// Remove removes the traces and returns what it kept, and why: work that exists nowhere else, a
// branch that is checked out, and a person's files that a choice replaced.
func (t Traces) Remove(ctx context.Context) (kept []string, err error) {
	if kept, err = t.removeTrees(ctx); err != nil {
		return kept, err
	}
	var refs []string
	if t.Name != "" {
		if refs, err = t.listRefs(ctx, "refs/heads/warp/"+t.Name+"/", "refs/warp/session/"+t.Name+"/"); err != nil {
			return kept, err
		}
	}
	if t.Branch != "" {
		more, err := t.listRefs(ctx, "refs/heads/"+t.Branch)
		if err != nil {
			return kept, err
		}
		refs = append(refs, more...)
	}
	trees, err := t.Work.Worktrees(ctx)
	if err != nil {
		return kept, err
	}
	for _, ref := range refs {
		why, err := t.whyKept(ctx, ref, trees)
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

// removeTrees removes the session's work tree, unless it has uncommitted work, and those of its
// stages, which it recognizes by their branches. Names alone are ambiguous: a-b may be the session
// a-b or the stage b of a.
func (t Traces) removeTrees(ctx context.Context) (kept []string, err error) {
	trees, err := t.Work.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range trees {
		stage, ofStage := strings.CutPrefix(w.Branch, "warp/"+t.Name+"/")
		ofStage = ofStage && filepath.Base(w.Path) == "session-"+t.Name+"-"+stage
		own := t.Branch != "" && w.Branch == t.Branch && filepath.Base(w.Path) == placeOf(t.Branch)
		if !ofStage && !own || !strings.Contains(filepath.ToSlash(w.Path), "/.claude/worktrees/") {
			continue
		}
		var held *gitwrite.HeldError
		if own && !t.Force && !w.Missing {
			err = t.Work.RemoveWorktree(ctx, w.Path, true)
		} else {
			_, err = t.git(ctx, "worktree", "remove", "--force", "--force", "--", w.Path)
		}
		switch {
		case errors.As(err, &held):
			kept = append(kept, fmt.Sprintf("%s has uncommitted work (%s); it is kept: git worktree remove --force %[1]s removes it", w.Path, text.Quote(held.Uncommitted, 5)))
		case err != nil && !w.Missing:
			return kept, err
		}
	}
	_, err = t.git(ctx, "worktree", "prune")
	return kept, err
}

// whyKept returns why a ref is kept, or "" if it can go.
func (t Traces) whyKept(ctx context.Context, ref string, trees []gitwrite.Worktree) (string, error) {
	branch, is := strings.CutPrefix(ref, "refs/heads/")
	if !is {
		if strings.HasSuffix(ref, "-yours") && !t.Force {
			return fmt.Sprintf("%s has your version of files that the session replaced; it is kept (--force removes it)", ref), nil
		}
		return "", nil
	}
	if i := slices.IndexFunc(trees, func(w gitwrite.Worktree) bool { return w.Branch == branch }); i >= 0 {
		return fmt.Sprintf("the branch %s is checked out in %s; it is kept", branch, trees[i].Path), nil
	}
	if t.Force {
		return "", nil
	}
	// The session's own copies do not count: they are removed too.
	out, err := t.git(ctx, "rev-list", "-n", "1", ref, "--not", "--exclude="+branch, "--exclude=warp/"+t.Name+"/*", "--branches", "--tags", "--remotes")
	if err != nil || strings.TrimSpace(out) == "" {
		return "", err
	}
	return fmt.Sprintf("the branch %[1]s has commits that exist nowhere else; it is kept: git merge %[1]s merges it, git branch -D %[1]s removes it", branch), nil
}

func (t Traces) listRefs(ctx context.Context, patterns ...string) ([]string, error) {
	out, err := t.git(ctx, append([]string{"for-each-ref", "--format=%(refname)"}, patterns...)...)
	return strings.Fields(out), err
}

func (t Traces) git(ctx context.Context, args ...string) (string, error) {
	out, err := t.Work.Repo().Must(ctx, git.Call{Args: args})
	return string(out), err
}
