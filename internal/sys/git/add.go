package git

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/durable"
)

const (
	// tries bounds how often a work tree that keeps changing is gone over.
	tries = 3
	// maxClosed bounds how many unreadable folders are found, at one git process each.
	maxClosed = 100
)

// addAll adds the work tree to the index and returns what could not be read. It sets submodules
// directly: «git add» would run git in each with that repository's settings, such as filters, which
// an agent may have written.
func (x tempIndex) addAll(out excludes, links []string) ([]string, error) {
	args := []string{"-c", "advice.addEmbeddedRepo=false", "add", "-A", "--ignore-errors"}
	if sparse, err := x.sparse(); err != nil {
		return nil, err
	} else if sparse {
		args = append(args, "--sparse") // otherwise git skips files outside the sparse patterns
	}
	out = append(slices.Clip(out), links...)
	bad, err := x.add(args, out)
	if err == nil {
		err = x.setLinks(links)
	}
	return bad, err
}

func (x tempIndex) add(args []string, out excludes) (bad []string, err error) {
	for left := tries; ; {
		c := Call{Args: slices.Concat(args, []string{"--"}, out.pathspecs()), Env: x.env}
		a, err := x.repo.Run(x.ctx, c)
		if err != nil {
			return nil, err
		}
		if dir := closedDir(a.Stderr); a.Exit > 1 && dir != "" && !out.match(dir) && len(bad) < maxClosed {
			bad, out = append(bad, dir+"/"), append(slices.Clip(out), dir)
			continue
		}
		if a.Exit > 1 || left == 0 {
			return nil, x.repo.failure(c, a)
		}
		left--
		found := slices.Concat(bad, unlistedDirs(a.Stderr, out))
		// Git also exits with 1 because of an exclude that is ignored anyway. It has added
		// everything then, and prints no «error».
		if a.Exit == 1 && hasError(a.Stderr) {
			files, again, err := x.leftovers(out)
			if err != nil {
				return nil, err
			}
			if again {
				continue
			}
			found = append(found, files...)
		}
		if len(found) == 0 {
			return nil, nil
		}
		slices.Sort(found)
		return slices.Compact(found), x.dropUnmerged()
	}
}

// sparse reports whether this is a sparse checkout. Without patterns it is not, whatever the
// configuration says.
func (x tempIndex) sparse() (bool, error) {
	if _, err := os.Stat(filepath.Join(x.root.GitDir, "info", "sparse-checkout")); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	v, _, err := x.repo.maybe("config", "--bool", "--get", "core.sparseCheckout")
	return v == "true", err
}

// closedDir returns the folder that made git give up.
func closedDir(stderr string) string {
	files := said(stderr, "fatal: unable to stat '", func(rest string) bool { return rest == "Permission denied" })
	if len(files) == 0 || path.Dir(files[0]) == "." {
		return ""
	}
	return path.Dir(files[0])
}

// unlistedDirs returns the folders that git could not list, for which it only warns.
func unlistedDirs(stderr string, out excludes) []string {
	var dirs []string
	for _, dir := range said(stderr, "warning: could not open directory '", func(rest string) bool { return !strings.Contains(rest, "'") }) {
		if !out.match(strings.TrimSuffix(dir, "/")) {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// dropUnmerged removes conflicts that could not be read, because a tree cannot hold them.
func (x tempIndex) dropUnmerged() error {
	list, err := x.git(nil, "diff-files", "--name-only", "--diff-filter=U", "-z")
	if err != nil {
		return err
	}
	return x.update("--force-remove", slices.Compact(Split(list)))
}

// leftovers returns what the index still lacks of the work tree: unreadable paths, and whether
// there are readable ones too, which must be new or just changed.
func (x tempIndex) leftovers(out excludes) (bad []string, again bool, err error) {
	others, err := x.git(nil, slices.Concat([]string{"ls-files", "-z", "--others", "--exclude-standard", "--"}, out.pathspecs())...)
	if err != nil {
		return nil, false, err
	}
	changed, err := x.git(nil, slices.Concat([]string{"diff-files", "-z", "--name-only", "--ignore-submodules=all", "--"}, out.pathspecs())...)
	if err != nil {
		return nil, false, err
	}
	for _, p := range slices.Concat(Split(others), Split(changed)) {
		switch {
		case strings.HasSuffix(p, "/"):
			// A repository without a commit: git can store nothing of it.
		case x.readable(p):
			again = true
		default:
			bad = append(bad, p)
		}
	}
	return bad, again, nil
}

// readable reports whether a file can be read, or is gone.
func (x tempIndex) readable(name string) bool {
	st, err := x.stat(name)
	if err != nil || !st.Mode().IsRegular() {
		return err == nil || errors.Is(err, fs.ErrNotExist)
	}
	f, err := durable.OpenPlain(filepath.Join(x.repo.Dir, filepath.FromSlash(name)))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	_ = f.Close()
	return true
}
