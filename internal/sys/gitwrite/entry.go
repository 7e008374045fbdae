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

// steps runs one of git's diffs that print raw entries.
func (t Tree) steps(ctx context.Context, env []string, args ...string) (steps, error) {
	name, rest := args[0], args[1:]
	out, err := t.must(ctx, git.Call{Args: slices.Concat([]string{name, "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none"}, rest, []string{"--"}), Env: env})
	if err != nil {
		return nil, err
	}
	s, err := parseSteps(git.Split(out))
	if err != nil {
		return nil, fmt.Errorf("reading what git %s said in %s: %w", name, t.root.Top, err)
	}
	return s, nil
}

var errTorn = errors.New("git's answer is not as expected; see whether another git works")

// parseSteps reads «:MODE MODE HASH HASH STATUS» followed by a path.
func parseSteps(f []string) (steps, error) {
	s := steps{}
	for ; len(f) > 1; f = f[2:] {
		m := strings.Fields(strings.TrimPrefix(f[0], ":"))
		if len(m) != 5 {
			return nil, errTorn
		}
		one := step{entry{m[0], m[2]}, entry{m[1], m[3]}, m[4] == "U"}
		for _, e := range []*entry{&one.from, &one.to} {
			if strings.Trim(e.mode, "0") == "" {
				*e = entry{}
			}
		}
		// A conflict in the index is listed beside the difference.
		if was, ok := s[f[1]]; ok {
			one.unmerged = one.unmerged || was.unmerged
		}
		s[f[1]] = one
	}
	if len(f) != 0 {
		return nil, errTorn
	}
	return s, nil
}

// set makes the entries of an index what they are to be; env says which index.
func (t Tree) set(ctx context.Context, env []string, to map[string]entry) error {
	if len(to) == 0 {
		return nil
	}
	var b strings.Builder
	for _, p := range slices.Sorted(maps.Keys(to)) {
		e := to[p]
		if e == (entry{}) {
			e = entry{"0", t.root.Zero}
		}
		fmt.Fprintf(&b, "%s %s\t%s\x00", e.mode, e.hash, p)
	}
	_, err := t.must(ctx, git.Call{Args: []string{"update-index", "-z", "--index-info"}, Stdin: []byte(b.String()), Env: env})
	return err
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
