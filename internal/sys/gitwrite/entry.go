package gitwrite

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/internal/sys/git"
)

const gitlink = "160000"

// An entry is what a tree or an index has at a path. The zero entry is nothing.
type entry struct{ mode, hash string }

func (e entry) file() bool { return e.mode == "100644" || e.mode == "100755" }

// A step is how one path gets from one state to another.
type step struct {
	from, to entry
	unmerged bool // the index has a conflict there
}

type steps map[string]step

func (s steps) paths() []string { return slices.Sorted(maps.Keys(s)) }

// between are the steps from one tree or commit to another.
func (t Tree) between(ctx context.Context, from, to string) (steps, error) {
	list, err := t.Repo().Diff(ctx, from, to, false)
	return newSteps(list), err
}

// staged is how an index differs from a tree or commit; env says which index.
func (t Tree) staged(ctx context.Context, env []string, from string) (steps, error) {
	out, err := t.must(ctx, git.Call{Args: []string{"diff-index", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", "--cached", "--end-of-options", from, "--"}, Env: env})
	if err != nil {
		return nil, err
	}
	list, err := git.ParseDiff(git.Split(out))
	if err != nil {
		return nil, fmt.Errorf("reading what is staged in %s: %w", t.root.Top, err)
	}
	return newSteps(list), nil
}

var errTorn = errors.New("git's answer is not as expected; see whether another git works")

func newSteps(list []git.Difference) steps {
	s := steps{}
	for _, d := range list {
		one := step{entry{d.Modes[0], d.Hashes[0]}, entry{d.Modes[1], d.Hashes[1]}, d.Status == 'U'}
		for _, e := range []*entry{&one.from, &one.to} {
			if strings.Trim(e.mode, "0") == "" {
				*e = entry{}
			}
		}
		// A conflict in the index is listed beside the difference.
		one.unmerged = one.unmerged || s[d.Path].unmerged
		s[d.Path] = one
	}
	return s
}

// set makes the entries of an index what they are to be; env says which index.
func (t Tree) set(ctx context.Context, env []string, to map[string]entry) error {
	if len(to) == 0 {
		return nil
	}
	_, err := t.must(ctx, git.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: []byte(t.lines(to)), Env: env})
	return err
}

// lines are entries as «update-index --index-info» reads them.
func (t Tree) lines(to map[string]entry) string {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(to)) {
		e := to[p]
		if e == (entry{}) {
			e = entry{"0", t.root.Zero}
		}
		fmt.Fprintf(&b, "%s %s\t%s\x00", e.mode, e.hash, p)
	}
	return b.String()
}

// revision checks that an argument can only be read as a hash or a reference.
func revision(names ...string) error {
	for _, n := range names {
		if !git.IsHash(n) && !git.IsRef(n) {
			return fmt.Errorf("%q is neither a full hash nor the name of a reference: %w", n, git.ErrNoRef)
		}
	}
	return nil
}
