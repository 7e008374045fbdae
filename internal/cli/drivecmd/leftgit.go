package drivecmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// gitWork is what a session can leave in git besides its changes: the newest stash, and branches.
type gitWork struct {
	repo  git.Repo
	stash string
	heads map[string]string
}

const heads = "refs/heads/"

func readGitWork(repo git.Repo) (w gitWork) {
	w = gitWork{repo: repo, heads: map[string]string{}}
	w.stash, _ = repo.Ref("refs/stash") // none, in most projects
	place, ok := git.Locate(repo.Dir)
	if !ok {
		return w
	}
	refs, err := place.Refs(context.Background())
	for ref, at := range refs {
		if strings.HasPrefix(ref, heads) && err == nil {
			w.heads[ref] = at
		}
	}
	return w
}

// stashed returns, once, how to bring back what the session has stashed since; "" if it has not. What git
// stash took of other files was put back meanwhile, so that a pop would fail.
func (w *gitWork) stashed() string {
	tip, err := w.repo.Ref("refs/stash")
	if err != nil || tip == "" || tip == w.stash {
		return ""
	}
	w.stash = tip
	var commands []string
	pop := true
	for _, part := range []struct{ name, from, against string }{{"stash@{0}", tip, tip + "^1"}, {"stash@{0}^3", tip + "^3", ""}} {
		args := []string{"diff", "--name-only", "--diff-filter=d", "-z", part.against, part.from}
		if part.against == "" {
			args = []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", part.from}
		}
		out, err := w.repo.Must(context.Background(), git.Call{Args: args})
		if err != nil {
			continue // without -u there is no third part
		}
		var paths []string
		for _, p := range git.Split(out) {
			_, there := os.Lstat(filepath.Join(w.repo.Dir, filepath.FromSlash(p)))
			own := strings.HasPrefix(p, ".claude/") // warp may put it back at any moment
			pop = pop && (there != nil && !own || part.against != "")
			if !own && (there != nil || part.against != "") {
				paths = append(paths, quote(p))
			}
		}
		if len(paths) > 0 {
			commands = append(commands, "git restore --source='"+part.name+"' -- "+strings.Join(paths, " "))
		}
	}
	if pop || len(commands) == 0 {
		commands = []string{"git stash pop"}
	}
	return "changes are in a stash (stash@{0}, " + text.Hash(tip) + "), where warp does not see them. This brings them back: " + strings.Join(commands, " && ")
}

// quote quotes a path for a shell.
func quote(path string) string { return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'" }

// branched names, once, the branches that the session has made since and that its drive does not use.
func (w *gitWork) branched(used string) string {
	var made []string
	for ref, at := range readGitWork(w.repo).heads {
		if name := strings.TrimPrefix(ref, heads); w.heads[ref] == "" && name != used {
			made = append(made, name)
			w.heads[ref] = at
		}
	}
	if len(made) == 0 {
		return ""
	}
	slices.Sort(made)
	return fmt.Sprintf("the session left %s, which nothing uses: %s; git branch -d %s removes what is merged", text.Count(len(made), "branch"), strings.Join(made, ", "), strings.Join(made, " "))
}
