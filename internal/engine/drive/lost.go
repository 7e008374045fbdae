package drive

import (
	"slices"

	"warp/internal/sys/git"
)

// lost lists the files that the agent did not change but lose: those of the user
// that are gone or are as they were last committed, and those that are what a
// commit has that the work tree was reset to.
func (g *guard) lost(tree string, changes []git.Change, reverted []string) (lost []string, err error) {
	if !slices.ContainsFunc(changes, func(c git.Change) bool { return c.Status != 'A' }) {
		return nil, nil
	}
	users, err := g.users() // paths that were the user's before the chunk began
	if err != nil {
		return nil, err
	}
	own, err := g.unlike(tree, g.tips[g.s.BranchName()])
	if err != nil {
		return nil, err
	}
	var resets []map[string]bool
	for _, commit := range reverted {
		differs, err := g.unlike(tree, commit)
		if err != nil {
			return nil, err
		}
		resets = append(resets, differs)
	}
	for _, c := range changes {
		path := c.Path
		if c.OldPath != "" {
			path = c.OldPath
		}
		gone := c.Status == 'D' || c.Status == 'R' || c.Status == 'T'
		switch {
		case c.Status == 'A':
		case users[path] && (gone || !own[path]):
			lost = append(lost, path)
		case slices.ContainsFunc(resets, func(differs map[string]bool) bool { return !differs[path] }):
			lost = append(lost, path)
		}
	}
	return lost, nil
}

// meddled lists what an agent that may only look has changed, and what is lost:
// all but what is the user's own, which the user may go on changing.
func (g *guard) meddled(changes []git.Change, lost []string) ([]string, error) {
	users, err := g.users()
	if err != nil {
		return nil, err
	}
	for _, p := range paths(changes) {
		if !users[p] && !slices.Contains(lost, p) {
			lost = append(lost, p)
		}
	}
	return lost, nil
}

// unlike are the paths at which a tree is not as a commit has it.
func (g *guard) unlike(tree, commit string) (map[string]bool, error) {
	differs := map[string]bool{}
	if commit == "" {
		return differs, nil
	}
	list, err := g.e.repo().Changes(commit, tree)
	for _, p := range paths(list) {
		differs[p] = true
	}
	return differs, err
}

// users are the paths that differ from the last commit since before the chunk
// began: nobody's but the user's.
func (g *guard) users() (map[string]bool, error) {
	users := map[string]bool{}
	base, tip := g.s.Chunk.Base, g.tips[g.s.BranchName()]
	if base == "" {
		base = g.tree // no chunk has begun: all of it is
	}
	if tip == "" {
		return users, nil
	}
	list, err := g.e.repo().Changes(tip, base)
	for _, c := range list {
		if c.Status != 'D' {
			users[c.Path] = true
		}
	}
	return users, err
}
