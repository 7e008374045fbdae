package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// index is what is known of the index of a work tree.
type index struct {
	hidden  map[string]bool // paths that it tells git not to look at
	tracked map[string]bool // paths of .claude that it has
	seen    fs.FileInfo     // the file, as it was looked at last
}

// watchIndex finds out, once, which files the index tells git not to look at, and
// which of .claude it has.
func (g *Guard) watchIndex(ctx context.Context) (err error) {
	if g.hidden == nil {
		g.hidden, g.tracked, err = g.readIndex(ctx)
		g.seen, _ = os.Stat(filepath.Join(g.place.GitDir(), "index")) // else it is read again
	}
	return err
}

// readIndex lists the paths that the index says are as they were, or are to be
// skipped, and those of .claude, which a print leaves out.
func (g *Guard) readIndex(ctx context.Context) (hidden, tracked map[string]bool, err error) {
	a, err := git.Repo{Dir: g.Work.Top()}.Run(ctx, git.Call{Args: []string{"ls-files", "-v", "-z"}})
	if err != nil {
		return nil, nil, err
	}
	hidden, tracked = map[string]bool{}, map[string]bool{}
	for _, e := range git.Split(a.Stdout) {
		if len(e) < 3 {
			continue
		}
		if e[0] >= 'a' && e[0] <= 'z' || e[0] == 'S' {
			hidden[e[2:]] = true
		}
		if strings.HasPrefix(e[2:], stateFolder+"/") || strings.Contains(e[2:], "/"+stateFolder+"/") {
			tracked[e[2:]] = true
		}
	}
	return hidden, tracked, nil
}

// restoreIndex stages again what a person had staged, and takes out what the run
// has staged: an ignored file that was added by force would be committed with the
// person's next commit. It returns the work tree as it is then.
func (r *Run) restoreIndex(ctx context.Context) (git.Print, error) {
	g := r.g
	if err := g.showHidden(ctx); err != nil {
		return git.Print{}, err
	}
	if _, err := os.Lstat(filepath.Join(g.place.GitDir(), "index")); errors.Is(err, fs.ErrNotExist) && r.before.Head != "" {
		if err := g.git(ctx, nil, "read-tree", "HEAD"); err != nil {
			return git.Print{}, err
		}
	}
	now, err := g.printer.Print(ctx)
	if err != nil {
		return now, err
	}
	var lines strings.Builder
	var lost []string
	for path, was := range r.before.Staged {
		if now.Staged[path] != was {
			lost = append(lost, path)
			lines.WriteString(was.Index + "\t" + path + "\x00")
		}
	}
	for path, is := range now.Staged {
		if _, was := r.before.Staged[path]; !was {
			lines.WriteString(is.Head + "\t" + path + "\x00")
		}
	}
	if lines.Len() == 0 {
		return now, nil
	}
	if err := g.git(ctx, []byte(lines.String()), "update-index", "-z", "--index-info"); err != nil {
		return now, err
	}
	if len(lost) > 0 {
		slices.Sort(lost)
		r.report(Destroyed, "", "the agent changed what a person had staged; it is staged again: %s", text.Quote(lost, 5))
	}
	return g.printer.Print(ctx)
}

// showHidden has git look again at files that the run told it not to look at, and
// takes out what it has added of .claude. The index is read only when it is
// another than it was: git never changes the file, it makes another.
func (g *Guard) showHidden(ctx context.Context) error {
	info, err := os.Stat(filepath.Join(g.place.GitDir(), "index"))
	if err != nil || g.seen != nil && os.SameFile(info, g.seen) && info.ModTime().Equal(g.seen.ModTime()) {
		return nil
	}
	hidden, tracked, err := g.readIndex(ctx)
	if err != nil {
		return err
	}
	for _, flag := range []struct {
		name     string
		now, was map[string]bool
	}{{"--no-assume-unchanged", hidden, g.hidden}, {"--no-skip-worktree", hidden, g.hidden}, {"--force-remove", tracked, g.tracked}} {
		var list strings.Builder
		for p := range flag.now {
			if !flag.was[p] {
				list.WriteString(p + "\x00")
			}
		}
		if list.Len() == 0 {
			continue
		}
		if err := g.git(ctx, []byte(list.String()), "update-index", flag.name, "-z", "--stdin"); err != nil {
			return err
		}
	}
	g.seen, _ = os.Stat(filepath.Join(g.place.GitDir(), "index"))
	return nil
}
