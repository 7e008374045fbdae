package docs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"warp/internal/core/docs/tree"
	"warp/internal/sys/git"
)

const (
	maxFile    = 4 << 20 // bytes of a file that is read
	maxHistory = "5000"  // commits that are asked for what they moved
)

// read makes a tree of a work tree: what git tracks, and what it would.
func read(in *os.Root) (*tree.Tree, error) {
	repo := git.Repo{Dir: in.Name()}
	names, err := listed(repo)
	if err != nil {
		return nil, err
	}
	var files, foreign []string
	for _, name := range names {
		info, err := in.Lstat(name)
		switch {
		case err != nil: // deleted
		case info.IsDir():
			foreign = append(foreign, strings.TrimSuffix(name, "/"))
			files = append(files, strings.TrimSuffix(name, "/"))
		default:
			files = append(files, name)
		}
	}
	t := tree.New(files, func(name string) (string, bool) { return content(in, name) })
	t.Foreign = foreign
	history(repo, t)
	return t, nil
}

// content is the text of a regular file, unless it is too large.
func content(in *os.Root, name string) (string, bool) {
	info, err := in.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", false
	}
	text, err := in.ReadFile(name)
	return string(text), err == nil
}

// listed are the paths of the work tree that git does not ignore; outside of a
// repository all of them.
func listed(repo git.Repo) ([]string, error) {
	a, err := repo.Run(context.Background(), git.Call{Args: []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard"}})
	if errors.Is(err, git.ErrNoGit) || err == nil && a.Exit != 0 {
		return walked(repo.Dir)
	}
	if err != nil {
		return nil, err
	}
	return git.Split(a.Stdout), nil
}

// uncommitted are the files that are not as the last commit has them, new ones
// too; none where there is no commit.
func uncommitted(repo git.Repo) (list []string, err error) {
	for _, args := range [][]string{{"diff", "-z", "--name-only", "--relative", "--no-ext-diff", "HEAD", "--"}, {"ls-files", "-z", "--others", "--exclude-standard"}} {
		a, err := repo.Run(context.Background(), git.Call{Args: args})
		switch {
		case errors.Is(err, git.ErrNoGit) || err == nil && a.Exit != 0:
			return nil, nil
		case err != nil:
			return nil, err
		}
		list = append(list, git.Split(a.Stdout)...)
	}
	return list, nil
}

func walked(root string) ([]string, error) {
	var all []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission): // gone meanwhile, or not for us
			return nil
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.IsDir():
			all = append(all, name)
		}
		return nil
	})
	return all, err
}

// history tells the tree what became of files that are gone. Without it less is
// found, so that what goes wrong here is no error.
func history(repo git.Repo, t *tree.Tree) {
	a, err := repo.Run(context.Background(), git.Call{Args: []string{"log", "-z", "--name-status", "-M", "--diff-filter=RD", "--format=", "--max-count=" + maxHistory, "HEAD", "--"}})
	if err != nil || a.Exit != 0 {
		return
	}
	t.Moved, t.Gone = map[string]string{}, map[string]bool{}
	words := git.Split(a.Stdout)
	for i := 0; i+1 < len(words); i += 2 { // the newest first
		switch name := words[i+1]; {
		case strings.HasPrefix(words[i], "R") && i+2 < len(words):
			moved(t, name, words[i+2])
			i++
		case !t.Has(name):
			gone(t, name)
		}
	}
}

// moved remembers where a file went, and that its folder did, if it is gone.
func moved(t *tree.Tree, from, to string) {
	if _, later := t.Moved[from]; !later && !t.Has(from) {
		t.Moved[from] = to
	}
	for path.Base(from) == path.Base(to) {
		from, to = path.Dir(from), path.Dir(to)
		if from == "." || to == "." || t.Has(from) {
			return
		}
		if other, known := t.Moved[from]; known && other != to {
			t.Moved[from] = "" // its files went to several places
			t.Gone[from] = true
			return
		}
		t.Moved[from] = to
	}
}

// gone remembers that a file was there, and the folders that it was in.
func gone(t *tree.Tree, name string) {
	for ; name != "." && !t.Has(name); name = path.Dir(name) {
		t.Gone[name] = true
	}
}
