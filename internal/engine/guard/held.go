package guard

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

const (
	// heldRefs protect objects from garbage collection that only refs and the index reach: a run
	// that deletes a branch, or unstages a file, and collects garbage would leave nothing to
	// restore. Each process has its own, under the name from heldBy, and each Shared a number in
	// it: one that ends must not release another's (the first of several drives in one process once
	// did).
	heldRefs = "refs/warp/held/"
	mostHeld = 2000 // branches and tags
)

// hold creates a commit whose parents are the tips of all branches and stashes and whose tree is
// what is staged, plus refs for the tags. If all of it is held already, it does nothing.
func (s *Shared) hold(ctx context.Context, g *Guard, staged map[string]git.Staged) error {
	var commits, tags []string
	for ref, at := range s.refs {
		switch {
		case strings.HasPrefix(ref, heldRefs):
			delete(s.refs, ref) // the guard's own
		case strings.HasPrefix(ref, heads):
			commits = append(commits, at)
		case strings.HasPrefix(ref, "refs/tags/"):
			tags = append(tags, at)
		}
	}
	for line := range strings.Lines(string(s.stash.Text)) {
		if f := strings.Fields(line); len(f) > 1 { // OLD NEW …
			commits = append(commits, f[1])
		}
	}
	s.addStaged(staged)
	all := slices.Concat(distinct(&commits), distinct(&tags), s.staged)
	if !slices.ContainsFunc(all, func(object string) bool { return !s.held[object] }) || len(commits)+len(tags) > mostHeld {
		return nil
	}
	tree, err := s.heldTree(ctx, g)
	if err != nil {
		return fmt.Errorf("holding what is staged: %w", err)
	}
	commit, err := g.Work.Root().Put(ctx, "commit", git.CommitText(tree, commits, "0", "warp holds what must not be collected while an agent runs"))
	if err != nil {
		return fmt.Errorf("holding branches and stashes: %w", err)
	}
	own := heldRefs + s.name + "/"
	by := map[string]string{own + "tips": commit}
	for _, t := range tags {
		by[own+"tags/"+t] = t
	}
	var lines strings.Builder
	for ref, object := range by {
		lines.WriteString("update " + ref + " " + object + "\n")
	}
	if _, err = g.repo.git(ctx, lines.String(), "update-ref", "--stdin"); err == nil {
		s.held, s.by = map[string]bool{}, by
		for _, object := range all {
			s.held[object] = true
		}
	}
	return err
}

// addStaged adds what is staged in another work tree, as mode and hash.
func (s *Shared) addStaged(staged map[string]git.Staged) {
	for _, e := range staged {
		mode, hash, _ := strings.Cut(e.Index, " ")
		if hash, _, _ = strings.Cut(hash, " "); strings.HasPrefix(mode, "1") && mode != "160000" && strings.Trim(hash, "0") != "" {
			s.staged = append(s.staged, mode+" "+hash)
		}
	}
	distinct(&s.staged)
}

// heldTree returns a tree of what is staged.
func (s *Shared) heldTree(ctx context.Context, g *Guard) (string, error) {
	var list []git.TreeEntry
	for _, e := range s.staged {
		mode, hash, _ := strings.Cut(e, " ")
		list = append(list, git.TreeEntry{Path: hash + "-" + mode, Mode: mode, Hash: hash})
	}
	return g.Work.Root().PutTree(ctx, list)
}

func distinct(list *[]string) []string {
	slices.Sort(*list)
	*list = slices.Compact(*list)
	return *list
}

// release releases what this Shared held, and what dead processes held.
func (s *Shared) release(ctx context.Context, g *Guard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running > 0 {
		return
	}
	s.held = nil
	_, _ = g.repo.releaseHeld(ctx, func(name, rest string) bool {
		return strings.HasPrefix(name+"/"+rest, s.name+"/") || !isAlive(name)
	}) // objects held too long only cost space
}

// ReleaseDead releases what dead processes held, and returns how many there were. A killed engine
// leaves its refs behind.
func ReleaseDead(ctx context.Context, place git.Place) (int, error) {
	n, err := (&repository{place.Top, place}).releaseHeld(ctx, func(name, _ string) bool { return !isAlive(name) })
	if err != nil {
		return n, fmt.Errorf("releasing what killed engines held in git: %w", err)
	}
	return n, nil
}

// IsHeld reports whether a ref holds something for an engine, and whether that still runs.
func IsHeld(ref string) (held, runs bool) {
	rest, held := strings.CutPrefix(ref, heldRefs)
	name, _, _ := strings.Cut(rest, "/")
	return held, held && isAlive(name)
}

// releaseHeld deletes the refs of the processes that goes selects, and returns their number.
func (g *repository) releaseHeld(ctx context.Context, goes func(name, rest string) bool) (int, error) {
	refs, err := g.place.Refs(ctx)
	if err != nil {
		return 0, err
	}
	var lines strings.Builder
	gone := map[string]bool{}
	for ref := range refs {
		rest, held := strings.CutPrefix(ref, heldRefs)
		if name, rest, _ := strings.Cut(rest, "/"); held && goes(name, rest) {
			lines.WriteString("delete " + ref + "\n")
			gone[name] = true
		}
	}
	if lines.Len() == 0 {
		return 0, nil
	}
	_, err = g.git(ctx, lines.String(), "update-ref", "--stdin")
	return len(gone), err
}

// sharedCount numbers the Shared values of this process.
var sharedCount atomic.Int64

// heldBy returns a process's name in refs: its pid and, if known, a hash of its start time. Pids
// are reused: another process once kept what a dead one had held.
func heldBy(pid int) string {
	stamp, _ := proc.Started(pid)
	if stamp == "" {
		return strconv.Itoa(pid)
	}
	return fmt.Sprintf("%d-%.8x", pid, sha256.Sum256([]byte(stamp)))
}

// isAlive reports whether the process with a name from heldBy still runs.
func isAlive(name string) bool {
	number, began, _ := strings.Cut(name, "-")
	pid, err := strconv.Atoi(number)
	if err != nil {
		return false
	}
	if _, alive := proc.Started(pid); !alive {
		return false
	}
	now := heldBy(pid)
	return began == "" || now == number || now == name
}
