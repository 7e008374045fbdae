package docs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"warp/internal/core/docscheck"
	"warp/internal/sys/git"
)

const (
	maxFile    = 4 << 20 // bytes of a file that is read
	maxHistory = "5000"  // commits that are searched for renames
)

// readTree lists a work tree: what git tracks, and what it would.
func readTree(root *os.Root) (*docscheck.Tree, error) {
	repo := git.Repo{Dir: root.Name()}
	names, err := askGit(repo, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err == nil && names == nil {
		names, err = walkFiles(repo.Dir)
	}
	if err != nil {
		return nil, err
	}
	var files, submodules []string
	for _, name := range names {
		info, err := root.Lstat(name)
		if err != nil {
			continue // deleted
		}
		if name = strings.TrimSuffix(name, "/"); info.IsDir() {
			submodules = append(submodules, name)
		}
		files = append(files, name)
	}
	tree := docscheck.NewTree(files, func(name string) (string, bool) {
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			return "", false
		}
		text, err := root.ReadFile(name)
		return string(text), err == nil
	})
	tree.Unlisted = submodules
	addHistory(repo, tree)
	return tree, nil
}

// askGit returns the NUL-separated answer of git; nil where there is no git, no
// repository or no commit.
func askGit(repo git.Repo, args ...string) ([]string, error) {
	a, err := repo.Run(context.Background(), git.Call{Args: args})
	switch {
	case errors.Is(err, git.ErrNoGit) || err == nil && a.Exit != 0:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return append([]string{}, git.Split(a.Stdout)...), nil
}

// walkFiles lists the files of a folder that is no repository.
func walkFiles(dir string) ([]string, error) {
	var files []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.IsDir():
			files = append(files, name)
		}
		return nil
	})
	return files, err
}

// addHistory tells the tree what became of missing files. Without it the audit
// finds less, so errors do not count here.
func addHistory(repo git.Repo, tree *docscheck.Tree) {
	tree.Gone = map[string]string{}
	words, _ := askGit(repo, "log", "-z", "--name-status", "-M", "--diff-filter=RD", "--format=", "--max-count="+maxHistory, "HEAD", "--")
	for i := 0; i+1 < len(words); i += 2 { // the newest first
		from, to := words[i+1], ""
		if strings.HasPrefix(words[i], "R") && i+2 < len(words) {
			to = words[i+2]
			i++
		}
		addGone(tree, from, to)
	}
}

// addGone records where a file moved, "" if it was deleted, and with it the folders
// that are gone.
func addGone(tree *docscheck.Tree, from, to string) {
	if _, later := tree.Gone[from]; !later && !tree.Has(from) {
		tree.Gone[from] = to
	}
	for path.Dir(from) != "." && !tree.Has(path.Dir(from)) {
		if path.Base(from) != path.Base(to) || path.Dir(to) == "." {
			to = "" // the file was renamed, not its folder
		}
		from, to = path.Dir(from), strings.TrimSuffix(to, "/"+path.Base(to))
		switch other := tree.Gone[from]; {
		case other == "":
			tree.Gone[from] = to
		case to != "" && other != to:
			tree.Gone[from] = from // its files moved to several places: no successor
		}
	}
}
