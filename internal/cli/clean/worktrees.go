package clean

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/engine/agent"
	"warp/internal/engine/dev/takedown"
	"warp/internal/engine/place"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

// isOwnWorkTree reports whether a drive or workflow created a work tree: agents have theirs in
// the same folder.
func isOwnWorkTree(path string) bool {
	dir, base := filepath.Split(path)
	issue, ok := strings.CutPrefix(base, "issue-")
	_, err := strconv.Atoi(issue)
	return (ok && err == nil || isOfWorkflow(path)) && strings.HasSuffix(filepath.ToSlash(dir), "/"+place.Folder+"/")
}

func isOfWorkflow(path string) bool { return strings.HasPrefix(filepath.Base(path), "workflow-") }

// unfinishedWorkflow describes the unfinished workflow that owns a work tree, or returns "".
func (f *finder) unfinishedWorkflow(path string) string {
	if !isOfWorkflow(path) {
		return ""
	}
	root := strings.TrimSuffix(filepath.ToSlash(filepath.Dir(path)), "/"+place.Folder)
	s := documents.PeekWorkflow(turnstile.Open(filepath.FromSlash(root), f.app.Env).Store())
	if s == nil || s.Orchestrator.Status.Ended() || !strings.HasPrefix(filepath.Base(path), "workflow-"+s.ID) {
		return ""
	}
	return "its workflow is unfinished (warp workflow resume or abort)"
}

// worktrees finds the work trees that drives and workflows created.
func (f *finder) worktrees(ctx context.Context) error {
	for _, w := range f.trees {
		if !isOwnWorkTree(w.Path) {
			continue
		}
		name := f.shown(w.Path)
		if s, is := f.unfinished(w.Path); is {
			f.keep("worktree", name, "%s", describeDrive(s))
			continue
		}
		if why := f.unfinishedWorkflow(w.Path); why != "" {
			f.keep("worktree", name, "%s", why)
			continue
		}
		switch why, err := f.unsavedWork(ctx, w); {
		case err != nil:
			return err
		case why != "":
			f.keep("worktree", name, "%s", why)
		default:
			why := "its work has ended, and all of it is in " + f.target
			if w.Missing {
				why = "its folder is gone"
			}
			f.remove("worktree", name, why, func(ctx context.Context) error {
				if w.Missing {
					return f.tree.Prune(ctx)
				}
				return RemoveTree(ctx, f.app, f.tree, w.Path)
			})
		}
	}
	return nil
}

// unsavedWork describes work in a work tree that exists nowhere else, or returns "".
func (f *finder) unsavedWork(ctx context.Context, w gitwrite.Worktree) (string, error) {
	if w.Missing {
		return "", nil
	}
	if w.Locked {
		return "it is locked (git worktree unlock)", nil
	}
	out, err := git.Repo{Dir: w.Path}.Must(ctx, git.Call{Args: []string{"status", "--porcelain", "-z", "--no-renames"}})
	if err != nil {
		return "", err
	}
	if list := git.Split(out); len(list) > 0 {
		return fmt.Sprintf("it has uncommitted files: %q", list[0][min(3, len(list[0])):]), nil
	}
	if merged, err := f.tree.Repo().Descends(f.tip, w.Head); err != nil || merged {
		return "", err
	}
	return "it has commits that are not in " + f.target, nil
}

// RemoveTree removes the work tree of a drive or workflow in which nothing is left. The output of
// its agents is kept in the project; where that fails, the work tree stays with it.
func RemoveTree(ctx context.Context, a *app.App, here gitwrite.Tree, dir string) error {
	root, inTree := FindProject(dir)
	store := turnstile.Open(inTree, a.Env).Store()
	// The dev server would write into the folder being removed.
	if err := takedown.Server(ctx, store, inTree, a.Env.Started); err != nil {
		return err
	}
	if err := agent.KeepRuns(store, turnstile.Open(root, a.Env).Store(), a.Env.Now); err != nil {
		return err
	}
	return here.RemoveWorktree(ctx, dir, true)
}

// FindProject returns the project that a separate work tree belongs to, and its folder in the work
// tree, which is another one than the work tree's if the project is in a subfolder of its repository.
func FindProject(dir string) (root, inTree string) {
	// The project may itself be in such a folder: only the last one is its own.
	root = filepath.FromSlash(strings.TrimSuffix(filepath.ToSlash(filepath.Dir(dir)), "/"+place.Folder))
	if at, ok := git.Locate(root); ok {
		if rel, err := filepath.Rel(at.Top, root); err == nil {
			if st, err := os.Stat(filepath.Join(dir, rel)); err == nil && st.IsDir() {
				return root, filepath.Join(dir, rel)
			}
		}
	}
	return root, dir
}
