package judge

import (
	"errors"
	"path"
	"strings"

	"warp/internal/core/project"
	"warp/internal/sys/git"
)

// ReadTree reads the files of a tree relative to the project's folder, as detect.ReadProject does
// for a folder: the base, not the work, decides how work is tested.
func ReadTree(repo git.Repo, tree, prefix string) project.Files {
	names := &listing{repo: repo, tree: tree}
	return func(name string) ([]byte, bool) {
		if strings.Contains(name, "*") {
			return nil, names.matches(path.Join(prefix, name))
		}
		if !names.mayHave(path.Join(prefix, name)) {
			return nil, false
		}
		text, err := repo.Trees().Content(tree, path.Join(prefix, name), maxFile)
		return text, err == nil || errors.Is(err, git.ErrNotFile)
	}
}
