package gate

import (
	"bytes"
	"context"
	"strings"

	"warp/internal/core/scope"
	"warp/internal/sys/git"
)

// Limits of what is read to find what no one asked for.
const (
	mostRead  = 64 << 20 // of all files, in bytes
	mostPatch = 16 << 20
)

const gitlink = "160000"

// FindUnasked returns what no one asked for in the difference of two trees.
func FindUnasked(ctx context.Context, repo git.Repo, base, tree string, a scope.Asked) ([]scope.Point, error) {
	if base == "" || base == tree {
		return nil, nil
	}
	list, err := repo.Trees().Diff(ctx, base, tree, true)
	if err != nil {
		return nil, err
	}
	files, err := readFiles(ctx, repo, list)
	if err != nil {
		return nil, err
	}
	if err := findReformatted(ctx, repo, base, tree, files); err != nil {
		return nil, err
	}
	return scope.Find(files, a), nil
}

// readFiles returns what names, modes and contents say of changed files.
func readFiles(ctx context.Context, repo git.Repo, list []git.Difference) (files []scope.File, err error) {
	var hashes, small []string
	for _, d := range list {
		for i, mode := range d.Modes {
			if strings.HasPrefix(mode, "10") {
				hashes = append(hashes, d.Hashes[i])
			}
		}
	}
	sizes, err := repo.Trees().Sizes(ctx, hashes)
	if err != nil {
		return nil, err
	}
	all := int64(0)
	for _, d := range list {
		if n, there := sizes[d.Hashes[1]]; there && d.Status == 'A' && all+n <= mostRead {
			small, all = append(small, d.Hashes[1]), all+n
		}
	}
	contents, err := repo.Trees().Contents(ctx, small)
	for _, d := range list {
		f := scope.File{Path: d.Path, OldPath: d.OldPath, Status: d.Status, OldSize: sizes[d.Hashes[0]], Size: sizes[d.Hashes[1]],
			Executable: d.Modes[1] == "100755", WasExecutable: d.Modes[0] == "100755"}
		f.Binary = bytes.IndexByte(contents[d.Hashes[1]], 0) >= 0
		files = append(files, f)
	}
	return files, err
}

// findReformatted counts the lines that changed only in white space. Renamed files do not count.
func findReformatted(ctx context.Context, repo git.Repo, base, tree string, files []scope.File) error {
	list, err := repo.Trees().Diff(ctx, base, tree, false)
	if err != nil {
		return err
	}
	var changed []string
	for _, d := range list {
		if d.Status == 'M' && d.Modes[0] != gitlink {
			changed = append(changed, d.Path)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	patch, err := repo.About(ctx, git.Call{Args: []string{"diff-tree", "-r", "-p", "-U3", "--no-renames", "--diff-filter=M", "--no-color", "--no-ext-diff", "--no-textconv",
		"--ignore-submodules=all", "--end-of-options", base, tree, "--"}, Max: mostPatch}, base, tree)
	if err != nil {
		return err
	}
	for i, n := range scope.Reformatted(patch) {
		for k := range files {
			if i < len(changed) && files[k].Path == changed[i] {
				files[k].Reformatted = n
			}
		}
	}
	return nil
}
