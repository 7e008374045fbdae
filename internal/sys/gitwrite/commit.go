package gitwrite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// Commit commits exactly the changes since Base. If a file also has uncommitted changes by the
// user, only the chunk's part is committed; if the two cannot be separated, nothing is
// (*MixedError). What the user staged stays staged. Ignored files, submodules and unreadable files
// are left out. The error is ErrNothing if nothing is left.
//
// A hash together with an error means that the commit was made but the index was not updated;
// Refresh does that.
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

// record creates a commit object as «git commit» would.
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

// unknown reports whether git's message means that it has no identity for the user.
func unknown(said string) bool {
	return holds(said, "tell me who you are", "empty ident", "no email was given", "no name was given", "auto-detect")
}

// Refresh updates the index to a commit that was made without it. It is idempotent.
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

// Index updates the index after a branch moved from one commit to another, without touching the
// work tree: entries that equal from's become to's, and what the user staged stays staged. It is
// idempotent.
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
	dir, err := t.root.Blank()
	if err != nil {
		return err
	}
	defer dir.Remove()
	set, _, err := merger{t.root, dir.Dir}.follow(ctx, moved, staged)
	if err != nil {
		return err
	}
	return index{root: t.root}.set(ctx, set)
}

// follow computes the new index entries when HEAD's entries change. staged is how the index differs
// from HEAD before. On a clash HEAD's entry wins, as with «git reset».
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

// Identity returns errIdentity if git has no identity to commit with.
func (t Tree) Identity(ctx context.Context) error {
	a, err := run(ctx, t.root.Top, git.Call{Args: []string{"var", "GIT_COMMITTER_IDENT"}})
	if err != nil {
		return err
	}
	if a.Exit != 0 {
		return errIdentity
	}
	return nil
}

// HooksFolder returns the folder where git looks for hooks.
func (t Tree) HooksFolder(ctx context.Context) (string, error) {
	out, err := must(ctx, t.root.Top, git.Call{Args: []string{"rev-parse", "--git-path", "hooks"}, Hooks: true})
	dir := filepath.FromSlash(strings.TrimSuffix(string(out), "\n"))
	if err == nil && !filepath.IsAbs(dir) {
		dir = filepath.Join(t.root.Top, dir)
	}
	return dir, err
}
