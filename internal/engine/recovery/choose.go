package recovery

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/sys/work"
)

// chosen is the drive that is to be brought back.
type chosen struct {
	issue, branch string
	at            *standing // its state, where that survived
	apart         bool      // it had a work tree of its own
}

// choose finds the drive that is meant.
func (r *Recovery) choose(ctx context.Context, o Options) (c chosen, err error) {
	found, err := Scan(ctx, r.Tree.Repo(), r.remote, r.target)
	if err != nil {
		return c, err
	}
	all := r.standings()
	c.issue = o.Issue
	if c.issue == "" {
		if c.issue, err = r.only(ctx, all, found); err != nil {
			return c, err
		}
	}
	for _, s := range all {
		if s.err == nil && s.state.Issue() == c.issue && s.state.Phase.Active() {
			c.at, c.branch, c.apart = &s, s.state.BranchName(), s.Root() != r.Main.Root()
		}
	}
	if trees, err := r.Tree.Worktrees(ctx); err == nil {
		for _, w := range trees {
			if w.Missing && w.Path == r.Apart(c.issue) {
				c.apart = true
				c.branch = cmp.Or(c.branch, w.Branch)
			}
		}
	}
	if o.Branch != "" {
		c.branch = o.Branch
	}
	if c.branch != "" {
		return c, nil
	}
	c.branch, err = theirs(c.issue, found)
	return c, err
}

// theirs is the branch of an issue among those that were found; "": none. One
// that is merged counts only where no other is left.
func theirs(issue string, found []Found) (string, error) {
	var names, merged, usual []string
	for _, f := range found {
		switch {
		case f.Issue != issue:
		case f.Merged:
			merged = append(merged, f.Branch)
		default:
			names = append(names, f.Branch)
		}
	}
	if len(names) == 0 {
		names = merged
	}
	for _, b := range names {
		if strings.HasPrefix(b, "feature/issue-"+issue) {
			usual = append(usual, b)
		}
	}
	switch {
	case len(names) == 0:
		return "", nil
	case len(names) == 1:
		return names[0], nil
	case len(usual) == 1:
		return usual[0], nil
	}
	return "", fmt.Errorf("the work on #%s is on several branches: %s; choose one with --branch", issue, strings.Join(names, ", "))
}

// only is the one drive that is lost or unfinished.
func (r *Recovery) only(ctx context.Context, all []standing, found []Found) (string, error) {
	var issues []string
	add := func(issue string) {
		if issue != "" && !slices.Contains(issues, issue) {
			issues = append(issues, issue)
		}
	}
	alive := map[string]bool{}
	for _, s := range all {
		switch {
		case s.err != nil || !s.state.Phase.Active():
		case r.whole(ctx, s):
			alive[s.state.Issue()] = true
		default:
			add(s.state.Issue())
		}
	}
	if trees, err := r.Tree.Worktrees(ctx); err == nil {
		for _, w := range trees {
			if n, ok := strings.CutPrefix(filepath.Base(w.Path), "issue-"); ok && w.Missing && filepath.Dir(w.Path) == filepath.Dir(r.Apart("")) {
				add(n)
			}
		}
	}
	for _, f := range Unfinished(found) {
		if !alive[f.Issue] {
			add(f.Issue)
		}
	}
	switch len(issues) {
	case 0:
		return "", &NothingError{"nothing is lost: no drive lacks its work tree or its commits, and none is unfinished on the remote"}
	case 1:
		return issues[0], nil
	}
	return "", fmt.Errorf("several drives can be brought back: #%s; name one", strings.Join(issues, ", #"))
}

// working are the phases in which a drive needs its branch.
var working = []drive.Phase{drive.Planning, drive.Chunking, drive.Coding, drive.UpdatingDocs, drive.Testing, drive.Committing, drive.DocDriftCheck,
	drive.Reporting, drive.ChunkComplete, drive.RequirementComplete, drive.Merging, drive.BudgetExceeded}

// whole tells whether a drive has all that it stands on: its work tree, its
// branch, its commits.
func (r *Recovery) whole(ctx context.Context, at standing) bool {
	s := at.state
	if !r.isWorkTree(ctx, at.Root()) {
		return false
	}
	if !slices.Contains(working, s.Phase) || s.BranchName() == "" {
		return true
	}
	tip := r.tip(ctx, "refs/heads/"+s.BranchName())
	if tip == "" || s.Chunk.Base != "" && !r.has(ctx, s.Chunk.Base) {
		return false
	}
	t, err := r.trail(s.Issue(), tip)
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(s.CommitHashes, func(hash string) bool {
		in, err := r.contains(tip, hash, t, s.Issue())
		return err != nil || !in
	})
}

// isWorkTree tells whether git knows a folder as a work tree. One whose record
// in the repository is gone has files, and no git command works in it.
func (r *Recovery) isWorkTree(ctx context.Context, root string) bool {
	if root == r.Main.Root() {
		return true
	}
	trees, err := r.Tree.Worktrees(ctx)
	return err == nil && slices.ContainsFunc(trees, func(w work.Worktree) bool { return w.Path == root && !w.Missing })
}
