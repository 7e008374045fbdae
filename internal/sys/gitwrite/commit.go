package gitwrite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// Commit commits exactly what has changed since the work tree was Base. Where a
// file also has uncommitted changes of the user's, only the chunk's part of it
// is committed; where the two cannot be separated, nothing is (*MixedError).
// What the user has staged stays staged. Ignored files, submodules and files
// that cannot be read are left out. It is ErrNothing when nothing is left.
//
// A hash with an error says that the commit is made but the index has not
// followed: Refresh does that.
func (t Tree) Commit(ctx context.Context, c Change) (hash string, err error) {
	if strings.TrimSpace(c.Message) == "" {
		return "", fmt.Errorf("committing in %s: there is no message", t.root.Top)
	}
	p, err := newPlan(ctx, t.root, c)
	if err != nil {
		return "", err
	}
	defer p.stage.Remove()
	if c.Check != nil {
		if err := c.Check(ctx, p.head.commit, p.tree); err != nil {
			return "", err
		}
	}
	hash, err = record(ctx, t.root.Top, p.tree, p.head.commit, c.Message)
	if err != nil {
		return "", err
	}
	if c.Moving != nil {
		if err := c.Moving(hash); err != nil {
			return "", err
		}
	}
	ref := "HEAD"
	if p.head.branch != "" {
		ref = "refs/heads/" + p.head.branch
	}
	subject, _, _ := strings.Cut(c.Message, "\n")
	if err := point(ctx, t.root.Top, ref, hash, p.head.commit, "commit: "+subject); err != nil {
		return "", err
	}
	if err := (index{root: t.root}).set(ctx, p.staged); err != nil {
		return hash, fmt.Errorf("the commit %s was made, but the index was not updated: %w", text.Hash(hash), err)
	}
	return hash, nil
}

// record makes a commit object as «git commit» would.
func record(ctx context.Context, top, tree, parent, message string) (string, error) {
	c := git.Call{Args: []string{"commit-tree", tree}, Stdin: []byte(message)}
	if parent != "" {
		c.Args = append(c.Args, "-p", parent)
	}
	sign, err := run(ctx, top, git.Call{Args: []string{"config", "--type=bool", "--get", "commit.gpgSign"}})
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(string(sign.Stdout)) == "true" {
		c.Args = append(c.Args, "-S")
	}
	out, err := must(ctx, top, c)
	if f := (*git.Failure)(nil); errors.As(err, &f) {
		switch {
		case unknown(f.Stderr):
			return "", fmt.Errorf("%w (git says: %s)", errIdentity, f.Stderr)
		case slices.Contains(c.Args, "-S"):
			return "", fmt.Errorf("%w (git says: %s)", errSigning, f.Stderr)
		}
	}
	return strings.TrimSpace(string(out)), err
}

// unknown is what git says when it does not know its user.
func unknown(said string) bool {
	return holds(said, "tell me who you are", "empty ident", "no email was given", "no name was given", "auto-detect")
}

// Refresh brings the index up to a commit that was made and that it may not
// know of. Doing it again does nothing.
func (t Tree) Refresh(ctx context.Context, commit string) error {
	if err := revision(commit); err != nil {
		return err
	}
	a, err := run(ctx, t.root.Top, git.Call{Args: []string{"rev-parse", "--verify", "-q", commit + "^"}})
	if err != nil {
		return err
	}
	parent := strings.TrimSpace(string(a.Stdout))
	if a.Exit != 0 {
		if parent, err = t.Repo().Trees().Empty(); err != nil {
			return err
		}
	}
	return t.Index(ctx, parent, commit)
}

// Index has the index follow a branch that was moved from one commit to another,
// the work tree untouched: what is as from has it becomes as to has it, and what
// the user has staged stays staged. Doing it again does nothing.
func (t Tree) Index(ctx context.Context, from, to string) error {
	if err := revision(from, to); err != nil {
		return err
	}
	moved, err := between(ctx, t.root, from, to)
	if err != nil || len(moved) == 0 {
		return err
	}
	staged, err := index{root: t.root}.staged(ctx, from)
	if err != nil {
		return err
	}
	dir, err := newScratch(t.root.GitDir, "index-")
	if err != nil {
		return err
	}
	defer dir.remove()
	set, _, err := merger{t.root, string(dir)}.follow(ctx, moved, staged)
	if err != nil {
		return err
	}
	return index{root: t.root}.set(ctx, set)
}

// follow finds what the index's entries become when those of HEAD take steps.
// staged is how it differs from HEAD before them. Where both clash, HEAD's entry
// is taken, as «git reset» does.
func (m merger) follow(ctx context.Context, moved, staged steps) (set map[string]entry, clash []string, err error) {
	set = map[string]entry{}
	var both []three
	for _, p := range moved.paths() {
		to, s := moved[p], staged[p]
		_, differs := staged[p]
		switch {
		case s.unmerged:
		case !differs:
			set[p] = to.to
		case s.to != to.to:
			both = append(both, three{p, s.to, to.from, to.to})
		}
	}
	merged, clash, err := m.merge(ctx, both)
	for _, one := range both {
		if e, ok := merged[one.path]; ok && e != one.ours {
			set[one.path] = e
		}
	}
	for _, p := range clash {
		set[p] = moved[p].to
	}
	return set, clash, err
}
