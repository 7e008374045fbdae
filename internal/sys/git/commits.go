package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Commit is one commit with its whole message.
type Commit struct{ Hash, Message string }

// Commits lists the commits of one that others lack, oldest first. It ignores empty names in lack.
func (r Repo) Commits(to string, lack ...string) ([]Commit, error) {
	args := []string{"log", "-z", "--reverse", "--topo-order", "--format=%H%n%B", "--end-of-options", to}
	lack = slices.DeleteFunc(slices.Clone(lack), func(from string) bool { return from == "" })
	for _, from := range lack {
		args = append(args, "^"+from)
	}
	if list, ok := r.followAll(to, lack); ok {
		return list, nil
	}
	if r.root == nil || r.root.isShallow() {
		lack = []string{""} // fetching may add history
	}
	out, err := r.About(context.Background(), Call{Args: append(args, "--")}, append(lack, to)...)
	if err != nil {
		return nil, err
	}
	var list []Commit
	for _, part := range Split(out) {
		hash, message, ok := strings.Cut(part, "\n")
		if !ok {
			return nil, fmt.Errorf("listing the commits of %s: %w", to, errTorn)
		}
		list = append(list, Commit{hash, strings.TrimSpace(message)})
	}
	return list, nil
}

// followAll is Commits without a process, for a linear history in which lack[0] is an ancestor of
// the commit and the others are ancestors of lack[0].
func (r Repo) followAll(to string, lack []string) (list []Commit, ok bool) {
	if r.root == nil || len(lack) == 0 {
		return nil, false
	}
	for _, other := range lack[1:] {
		if _, ok := r.root.follow(lack[0], other); !ok && other != lack[0] {
			return nil, false
		}
	}
	list, ok = r.root.follow(to, lack[0])
	slices.Reverse(list)
	return list, ok
}

// isShallow reports whether fetching may still add history.
func (o Root) isShallow() bool {
	_, err := os.Lstat(filepath.Join(o.Common(), "shallow"))
	return !errors.Is(err, fs.ErrNotExist)
}

// Descends reports whether from is an ancestor of a commit, or the commit itself.
func (r Repo) Descends(commit, from string) (bool, error) {
	args := []string{"merge-base", "--is-ancestor", "--end-of-options", from, commit}
	key := strings.Join(args, "\x00")
	fixed := IsHash(commit) && IsHash(from)
	if _, known := r.memory().get(key); fixed && known {
		return true, nil
	}
	if r.root != nil && fixed {
		if _, ok := r.root.follow(commit, from); ok {
			return true, nil
		}
	}
	_, found, err := r.maybe(args...)
	if fixed && found { // the opposite may change with a fetch
		r.memory().set(key, nil)
	}
	return found, err
}

// Files lists the paths that a commit changed against its first parent.
func (r Repo) Files(commit string) ([]string, error) {
	out, err := r.must(Call{Args: []string{"diff-tree", "-z", "-r", "--root", "--no-commit-id", "--name-only", "--diff-merges=first-parent", "--end-of-options", commit, "--"}})
	if err != nil {
		return nil, err
	}
	return Split(out), nil
}

// Named reports whether some reference points to a commit.
func (r Repo) Named(commit string) (bool, error) {
	out, err := r.must(Call{Args: []string{"for-each-ref", "--count=1", "--points-at=" + commit}})
	return len(out) > 0, err
}

// IsFetched reports whether a remote's branch, as last fetched, contains a commit.
func (r Repo) IsFetched(commit string) (bool, error) {
	out, err := r.must(Call{Args: []string{"for-each-ref", "--count=1", "--contains=" + commit, "refs/remotes/"}})
	return len(out) > 0, err
}
