package gitwrite

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/git"
)

// Diff returns the changes between two trees or commits as a patch without colours. No program of
// the user's and no attribute of the repository influences it, so that nothing can hide from it.
// Text before the patch describes what a patch does not show. A patch longer than most bytes is cut
// after the last whole line, and all files are named.
func (t Tree) Diff(ctx context.Context, from, to string, most int) (text string, cut bool, err error) {
	if err := revision(from, to); err != nil {
		return "", false, err
	}
	seen, err := survey(ctx, t.Repo(), from, to)
	if err != nil {
		return "", false, err
	}
	dir, err := t.root.Blank()
	if err != nil {
		return "", false, err
	}
	defer dir.Remove()
	// Memory keeps the end of an output, but the beginning is wanted. So it is read from the log,
	// and git is stopped once there is enough.
	log := filepath.Join(dir.Dir, "log")
	until, enough := context.WithCancel(ctx)
	defer enough()
	size := 0
	c := git.Call{
		Args: []string{"diff-tree", "-r", "-p", "-M", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--submodule=short",
			"--src-prefix=a/", "--dst-prefix=b/", "--end-of-options", from, to, "--"},
		Max: 1, Tail: true, Log: log,
		Line: func(l []byte) {
			if size += len(l) + 1; size > most {
				enough()
			}
		},
	}
	if len(seen.skip) > 0 {
		c.Args, c.Env = append(c.Args, ":(top)"), []string{"GIT_LITERAL_PATHSPECS=0"}
		for _, name := range seen.skip {
			c.Args = append(c.Args, ":(top,exclude,literal)"+name)
		}
	}
	a, err := run(until, t.root.Top, c)
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() == nil:
	case err != nil:
		return "", false, err
	case a.Exit != 0:
		return "", false, failure(t.root.Top, c, a)
	}
	if text, cut, err = beginning(log, most); err != nil {
		return "", false, err
	}
	return seen.head(cut) + text, cut, nil
}

func beginning(log string, most int) (text string, cut bool, err error) {
	f, err := durable.OpenPlain(log)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err != nil || len(b) <= most {
		return string(b), false, err
	}
	return string(b[:bytes.LastIndexByte(b[:most], '\n')+1]), true, nil
}

// Stat is the size of the difference between two trees.
type Stat struct {
	Files, Insertions, Deletions int
	Paths                        []string // the new path of a renamed file
	Cut                          []string // the files that lost lines, or whose lines were changed
}

// Stat counts the changes between two trees or commits. Binary files have no lines.
func (t Tree) Stat(ctx context.Context, from, to string) (Stat, error) {
	if err := revision(from, to); err != nil {
		return Stat{}, err
	}
	out, err := must(ctx, t.root.Top, git.Call{Args: []string{"diff-tree", "-r", "-M", "-z", "--numstat", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none", "--end-of-options", from, to, "--"}})
	if err != nil {
		return Stat{}, err
	}
	return parseStat(git.Split(out))
}

// parseStat parses «INSERTIONS TAB DELETIONS TAB PATH»; for a renamed file the path is empty, and
// the old and the new one follow.
func parseStat(f []string) (Stat, error) {
	var s Stat
	for len(f) > 0 {
		m := strings.SplitN(f[0], "\t", 3)
		f = f[1:]
		if len(m) != 3 {
			return Stat{}, errTorn
		}
		p := m[2]
		if p == "" {
			if len(f) < 2 {
				return Stat{}, errTorn
			}
			p, f = f[1], f[2:]
		}
		plus, _ := strconv.Atoi(m[0]) // «-» for a binary file
		minus, _ := strconv.Atoi(m[1])
		s.Files, s.Insertions, s.Deletions = s.Files+1, s.Insertions+plus, s.Deletions+minus
		s.Paths = append(s.Paths, p)
		if minus > 0 {
			s.Cut = append(s.Cut, p)
		}
	}
	return s, nil
}
