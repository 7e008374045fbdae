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

// An entry is what a tree or an index has at a path. The zero entry means nothing.
type entry struct{ mode, hash string }

func (e entry) file() bool { return e.mode == "100644" || e.mode == "100755" }

// A step is the change of one path between two states.
type step struct {
	from, to entry
	unmerged bool // the index has a conflict there
}

type steps map[string]step

func (s steps) paths() []string { return slices.Sorted(maps.Keys(s)) }

// between returns the steps from one tree or commit to another.
func between(ctx context.Context, root git.Root, from, to string) (steps, error) {
	list, err := root.Repo(root.Top).Trees().Diff(ctx, from, to, false)
	return newSteps(list), err
}

// index is a work tree's index, or the one named by env.
type index struct {
	root git.Root
	env  []string
}

// staged returns how the index differs from a tree or commit.
func (x index) staged(ctx context.Context, from string) (steps, error) {
	list, err := x.root.Staged(ctx, from, x.env...)
	return newSteps(list), err
}

var errTorn = errors.New("git gave an unexpected answer; try another version of git")

func newSteps(list []git.Difference) steps {
	s := steps{}
	for _, d := range list {
		one := step{entry{d.Modes[0], d.Hashes[0]}, entry{d.Modes[1], d.Hashes[1]}, d.Status == 'U'}
		for _, e := range []*entry{&one.from, &one.to} {
			if strings.Trim(e.mode, "0") == "" {
				*e = entry{}
			}
		}
		// A conflict in the index is listed in addition to the difference.
		one.unmerged = one.unmerged || s[d.Path].unmerged
		s[d.Path] = one
	}
	return s
}

// mostListed bounds the bytes of entries passed as arguments.
const mostListed = 16 << 10

// set sets entries of the index. For a work tree's index it also refreshes the file stats: without
// them git reads all files again each time (the 64th chunk of a drive cost a tenth more than the
// 4th).
func (x index) set(ctx context.Context, to map[string]entry) error {
	if len(to) == 0 {
		return nil
	}
	args, size := []string{"update-index", "--add", "--replace"}, 0
	for _, p := range slices.Sorted(maps.Keys(to)) {
		if to[p] == (entry{}) {
			size = mostListed // removing an entry takes standard input
		}
		args = append(args, "--cacheinfo", to[p].mode+","+to[p].hash+","+p)
		size += len(args[len(args)-1])
	}
	write := git.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: []byte(entryLines(to, x.root.Zero)), Env: x.env}
	look := []string{"--ignore-submodules", "--refresh"} // in this order, and last
	switch {
	case x.env != nil: // a stage is read only once
		_, err := must(ctx, x.root.Top, write)
		return err
	case size >= mostListed:
		if _, err := must(ctx, x.root.Top, write); err != nil {
			return err
		}
		_, _ = run(ctx, x.root.Top, git.Call{Args: append(args[:1], look...)}) // a failure only costs time
		return nil
	}
	c := git.Call{Args: append(args, look...)}
	a, err := run(ctx, x.root.Top, c)
	if err == nil && a.Exit > 1 { // 1 means that files differ from their entries
		err = failure(x.root.Top, c, a)
	}
	return err
}

// entryLines formats entries for «update-index --index-info».
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

// revision checks that arguments can only be read as hashes or references.
func revision(names ...string) error {
	for _, n := range names {
		if !git.IsHash(n) && !git.IsRef(n) {
			return fmt.Errorf("%q is neither a full hash nor the name of a reference: %w", n, git.ErrNoRef)
		}
	}
	return nil
}
