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
func between(ctx context.Context, root git.Root, from, to string) (steps, error) {
	list, err := root.Repo(root.Top).Trees().Diff(ctx, from, to, false)
	return newSteps(list), err
}

// index is the index of a work tree, or another that env names.
type index struct {
	root git.Root
	env  []string
}

// staged is how it differs from a tree or commit.
func (x index) staged(ctx context.Context, from string) (steps, error) {
	if x.env == nil {
		list, err := x.root.Staged(ctx, from)
		return newSteps(list), err
	}
	out, err := must(ctx, x.root.Top, git.Call{Args: []string{"diff-index", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", "--cached", "--end-of-options", from, "--"}, Env: x.env})
	if err != nil {
		return nil, err
	}
	list, err := git.ParseDiff(git.Split(out))
	if err != nil {
		return nil, fmt.Errorf("reading what is staged in %s: %w", x.root.Top, err)
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

// mostListed bounds the bytes of entries that a command is given as arguments.
const mostListed = 16 << 10

// set makes its entries what they are to be. Those of a work tree get what their files look
// like: without it each later look at the work tree reads them all again (the 64th chunk of a
// drive cost a tenth more than the 4th).
func (x index) set(ctx context.Context, to map[string]entry) error {
	if len(to) == 0 {
		return nil
	}
	args, size := []string{"update-index", "--add", "--replace"}, 0
	for _, p := range slices.Sorted(maps.Keys(to)) {
		if to[p] == (entry{}) {
			size = mostListed // it is to be removed, which has no such argument
		}
		args = append(args, "--cacheinfo", to[p].mode+","+to[p].hash+","+p)
		size += len(args[len(args)-1])
	}
	write := git.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: []byte(entryLines(to, x.root.Zero)), Env: x.env}
	look := []string{"--ignore-submodules", "--refresh"} // in this order, and last
	switch {
	case x.env != nil: // a stage: it is read once
		_, err := must(ctx, x.root.Top, write)
		return err
	case size >= mostListed:
		if _, err := must(ctx, x.root.Top, write); err != nil {
			return err
		}
		_, _ = run(ctx, x.root.Top, git.Call{Args: append(args[:1], look...)}) // else it costs time
		return nil
	}
	c := git.Call{Args: append(args, look...)}
	a, err := run(ctx, x.root.Top, c)
	if err == nil && a.Exit > 1 { // 1: there are files that differ from their entries
		err = failure(x.root.Top, c, a)
	}
	return err
}

// entryLines are entries as «update-index --index-info» reads them.
func entryLines(to map[string]entry, zero string) string {
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(to)) {
		e := to[p]
		if e == (entry{}) {
			e = entry{"0", zero}
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
