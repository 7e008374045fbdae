package judge

import (
	"errors"
	"os"
	"path"
	"path/filepath"

	"warp/internal/core/project"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// FindTests is how code is tested, as its files tell; "": they do not.
func FindTests(files project.Files) string {
	if found := project.Detect(files); len(found) > 0 {
		return found[0].Command
	}
	return ""
}

// ReadTree reads the files of a tree from the project's folder, as ReadProject does
// those of a folder: the base, not the work, decides how work is tested.
func ReadTree(repo git.Repo, tree, prefix string) project.Files {
	names := &listing{repo: repo, tree: tree}
	return func(name string) ([]byte, bool) {
		if !names.mayHave(path.Join(prefix, name)) {
			return nil, false
		}
		text, err := repo.Content(tree, path.Join(prefix, name), maxFile)
		return text, err == nil || errors.Is(err, git.ErrNotFile)
	}
}

// ReadProject reads the files in a project's root, for core/project to tell how
// its code is tested and checked.
func ReadProject(root string) project.Files {
	return func(path string) ([]byte, bool) {
		full := filepath.Join(root, filepath.FromSlash(path))
		if info, err := os.Stat(full); err == nil && info.IsDir() {
			return nil, true
		}
		text, err := durable.ReadPlain(full)
		return text, err == nil
	}
}
