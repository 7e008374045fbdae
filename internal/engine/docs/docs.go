// Package docs audits the documents of a work tree, and fixes what can be fixed mechanically.
// core/docscheck decides what is wrong; this package reads the files, asks git what happened to
// missing ones, and writes. It runs no command of the repository and reads no file outside it.
package docs

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/docscheck"
	"warp/internal/sys/git"
)

// Scope selects documents of a work tree.
type Scope struct {
	Root string
	// Path is the file or folder to audit, relative to the root; "" is everything.
	Path string
	// Exclude are paths of documents, in any folder, that the project does not own, such as the
	// commands that warp init writes.
	Exclude []string
	// CommittedOnly leaves out documents with uncommitted changes: their author is still working on
	// them.
	CommittedOnly bool
	// AsCommitted reads documents with uncommitted changes as they are in the last commit.
	AsCommitted bool
}

// Audit returns where the documents disagree with the repository.
func (s Scope) Audit() ([]docscheck.Finding, error) {
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return nil, fmt.Errorf("auditing the documentation: %w", err)
	}
	defer root.Close()
	var unfinished []string
	if s.CommittedOnly || s.AsCommitted {
		unfinished, err = s.listUnfinished()
	}
	var tree *docscheck.Tree
	if err == nil {
		tree, err = s.readTree(root, unfinished)
	}
	if err != nil {
		return nil, fmt.Errorf("auditing the documentation: %w", err)
	}
	below := path.Clean(filepath.ToSlash(s.Path))
	if below != "." && !tree.Has(below) {
		return nil, fmt.Errorf("auditing the documentation: git finds no file or folder %s here", below)
	}
	return docscheck.Audit(tree, func(file string) bool {
		isBelow := below == "." || file == below || strings.HasPrefix(file, below+"/")
		isExcluded := func(p string) bool { return file == p || strings.HasSuffix(file, "/"+p) }
		isSkipped := s.CommittedOnly && slices.Contains(unfinished, file)
		return isBelow && !isSkipped && !slices.ContainsFunc(s.Exclude, isExcluded)
	}), nil
}

// listUnfinished lists the files that differ from the last commit.
func (s Scope) listUnfinished() ([]string, error) {
	changed, err := s.askGit("diff", "-z", "--name-only", "--relative", "--no-ext-diff", "HEAD", "--")
	if err != nil {
		return nil, err
	}
	added, err := s.askGit("ls-files", "-z", "--others", "--exclude-standard")
	return append(changed, added...), err
}

const (
	maxFile    = 4 << 20 // bytes per file
	maxHistory = "5000"  // commits searched for renames
)

// readTree lists a work tree: what git tracks, and what it would.
func (s Scope) readTree(root *os.Root, unfinished []string) (*docscheck.Tree, error) {
	names, err := s.askGit("ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range names {
		if info, err := root.Lstat(name); err != nil {
			continue // deleted
		} else if info.IsDir() {
			name = strings.TrimSuffix(name, "/") + "/" // a submodule
		}
		files = append(files, name)
	}
	tree := docscheck.NewTree(files, func(name string) (string, bool) {
		if s.AsCommitted && slices.Contains(unfinished, name) {
			out, err := git.Repo{Dir: s.Root}.Must(context.Background(), git.Call{Args: []string{"show", "HEAD:./" + name}})
			return string(out), err == nil
		}
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile {
			return "", false
		}
		text, err := root.ReadFile(name)
		return string(text), err == nil
	})
	tree.Gone = s.readMoves()
	return tree, nil
}

// readMoves returns what happened to files that moved or were deleted. Without it the audit only
// finds less, so errors, such as a missing commit, are ignored.
func (s Scope) readMoves() map[string]string {
	moves := map[string]string{}
	words, _ := s.askGit("log", "-z", "--name-status", "-M", "--diff-filter=RD", "--format=", "--max-count="+maxHistory, "HEAD", "--")
	for len(words) > 1 { // newest first
		from, to, size := words[1], "", 2
		if strings.HasPrefix(words[0], "R") && len(words) > 2 {
			to, size = words[2], 3
		}
		if _, later := moves[from]; !later {
			moves[from] = to
		}
		words = words[size:]
	}
	return moves
}

// askGit returns the NUL-separated answer of git.
func (s Scope) askGit(args ...string) ([]string, error) {
	out, err := git.Repo{Dir: s.Root}.Must(context.Background(), git.Call{Args: args})
	return git.Split(out), err
}

// Fix applies the mechanical fixes and returns the files that changed. It replaces
// only the bytes that the findings name.
func (s Scope) Fix() (changed []string, err error) {
	found, err := s.Audit()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.Root)
	if err != nil {
		return nil, fmt.Errorf("fixing the documentation: %w", err)
	}
	defer root.Close()
	byFile := map[string][]docscheck.Finding{}
	for _, f := range found {
		byFile[f.File] = append(byFile[f.File], f)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		text, err := root.ReadFile(file)
		if err != nil {
			return changed, fmt.Errorf("fixing %s: %w", file, err)
		}
		fixed := docscheck.ApplyFixes(string(text), byFile[file])
		if fixed == string(text) {
			continue
		}
		if err := replaceFile(root, file, fixed); err != nil {
			return changed, fmt.Errorf("fixing %s: %w", file, err)
		}
		changed = append(changed, file)
	}
	return changed, nil
}

// replaceFile replaces a file atomically, so that a crash leaves the old or the new text. durable
// writes by path; this must not follow a link out of the root.
func replaceFile(root *os.Root, file, text string) error {
	info, err := root.Lstat(file)
	if err != nil {
		return err
	}
	temp := file + ".warp-docs"
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close()); err == nil {
		err = root.Rename(temp, file)
	}
	if err != nil {
		_ = root.Remove(temp)
	}
	return err
}
