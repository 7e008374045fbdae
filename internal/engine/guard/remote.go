package guard

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// Remote watches a remote's refs and notices pushes that the engine did not make. While it is
// unreachable, nothing is guessed.
type Remote struct {
	Work   gitwrite.Tree
	Name   string
	Remark func(format string, args ...any)
	// Ours reports whether warp made a commit, in any drive: parallel drives share the repository,
	// and each knows only its own pushes. Nil: unknown.
	Ours func(ctx context.Context, commit string) bool

	mu    sync.Mutex
	known map[string]string // nil: not asked successfully yet
	away  bool              // its being unreachable was reported
	// theirs are commits that the remote had before they were fetched: they are in the object
	// store, but did not come from here.
	theirs []string
}

// Fetch fetches branches of the remote.
func (m *Remote) Fetch(ctx context.Context, branches ...string) (map[string]string, error) {
	now, err := m.Work.Remotes().Refs(ctx, m.Name)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, tip := range now { // empty if the remote is unreachable; the fetch reports why
		if !m.has(ctx, tip) {
			m.mu.Lock()
			m.theirs = append(m.theirs, tip)
			m.mu.Unlock()
		}
	}
	return m.Work.Remotes().Fetch(ctx, m.Name, branches...)
}

func (m *Remote) has(ctx context.Context, commit string) bool {
	a, err := m.Work.Repo().Run(ctx, git.Call{Args: []string{"cat-file", "-e", commit + "^{commit}"}})
	return err == nil && a.Exit == 0
}

// PushedError reports a push that the engine did not make, and that came from this machine or moved
// the engine's own branch.
type PushedError struct {
	Remote, Ref, Old, New string
	Own                   bool
}

func (e *PushedError) Error() string {
	whose := "the commit came from this repository"
	if e.Own {
		whose = "it is the branch of this work"
	}
	return fmt.Sprintf("%s was moved on %s from %s to %s, and not by warp (%s)", e.Ref, e.Remote, orNothing(e.Old), orNothing(e.New), whose)
}

// Check reads the remote's refs, and compares them with the known ones; the first time it only
// records them. own are the branches of the work: an unexpected move of one is an error. A move of
// another is an error if its commit was in this repository's object store before: then it came from
// here. Colleagues' pushes are normal.
func (m *Remote) Check(ctx context.Context, own ...string) error {
	if m == nil || m.Name == "" {
		return nil
	}
	m.mu.Lock()
	unknown := m.known == nil
	m.mu.Unlock()
	var now map[string]string
	var err error
	if unknown { // a remote that hangs costs seconds, not the time of a slow answer
		err = m.Work.Remotes().Ping(ctx, m.Name)
	}
	if err == nil {
		now, err = m.Work.Remotes().Refs(ctx, m.Name)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !m.away {
			m.Remark("the branches of %s could not be read, so a push past warp would not be noticed: %v", m.Name, err)
		}
		m.away = true
		return nil
	}
	was := m.known
	m.known, m.away = now, false
	if was == nil {
		return nil
	}
	var bad error
	refs := maps.Clone(was)
	maps.Copy(refs, now)
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		p := &PushedError{Remote: m.Name, Ref: ref, Old: was[ref], New: now[ref], Own: slices.Contains(own, ref)}
		switch {
		case p.Old == p.New:
		case p.Own || p.New != "" && m.cameFromHere(ctx, p.New, was):
			bad = errors.Join(bad, p)
		case p.New == "" && !m.isContained(p.Old, maps.Values(now)) && !m.isOurs(ctx, p.Old):
			m.Remark("%s was deleted on %s since the last check, and not by warp", ref, m.Name)
		}
	}
	return bad
}

// isContained reports whether one of several commits contains a commit: if a remaining branch
// contains that of a deleted one, it was merged, and nothing is lost.
func (m *Remote) isContained(commit string, tips iter.Seq[string]) bool {
	for tip := range tips {
		if in, err := m.Work.Repo().Descends(tip, commit); err == nil && in {
			return true
		}
	}
	return false
}

func (m *Remote) isOurs(ctx context.Context, commit string) bool {
	return m.Ours != nil && m.Ours(ctx, commit)
}

// cameFromHere reports whether a commit was in this repository before the remote had it, and warp
// did not make it: it is in the object store, but in nothing that the remote had or that was
// fetched: else a colleague pushed it, or moved a branch to another's commit.
func (m *Remote) cameFromHere(ctx context.Context, commit string, was map[string]string) bool {
	return m.has(ctx, commit) && !m.isOurs(ctx, commit) && !m.isContained(commit, slices.Values(m.theirs)) && !m.isContained(commit, maps.Values(was))
}

// Pushed records that the engine itself moved a ref of the remote.
func (m *Remote) Pushed(branch, to string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known != nil {
		m.known[heads+strings.TrimPrefix(branch, heads)] = to
	}
}
