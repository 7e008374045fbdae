package guard

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/sys/git"
)

// Shared is what the work trees of a repository have in common: its references,
// and git's own files. Runs that are under way at once have one expectation of
// them, which the engine's own moves are added to.
type Shared struct {
	restoring sync.Mutex // one at a time puts back what they have in common

	mu      sync.Mutex
	running int
	refs    map[string]string
	back    []string // commits that references were put back from

	// Written only while no run is under way:
	began time.Time       // the first of the runs
	files map[string]file // git's own, from the common folder
	stash []byte          // the log of refs/stash, which is all that lists stashes

	beside sync.Mutex
	person *Run // the main work tree, as it was before the first of the runs elsewhere
	others int  // runs elsewhere
}

// NewShared is for the guards of one repository.
func NewShared() *Shared { return &Shared{} }

// enter records what there is, unless a run is under way that may have changed it.
func (s *Shared) enter(ctx context.Context, g *Guard) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == 0 {
		s.back, s.began = nil, g.Now()
		if s.refs, err = readRefs(ctx, g.place, g.Work.Repo()); err != nil {
			return err
		}
		s.files = readGitFiles(g.place)
		s.stash, _ = os.ReadFile(filepath.Join(g.place.Common(), stashLog)) // mostly there is none
	}
	s.running++
	return nil
}

func (s *Shared) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = max(0, s.running-1)
}

// enterPerson records the main work tree before the first run elsewhere begins: one
// that begins later may find what another has done there.
func (s *Shared) enterPerson(ctx context.Context, g *Guard, sc Scope) (err error) {
	s.beside.Lock()
	defer s.beside.Unlock()
	if s.others == 0 {
		if s.person, err = g.Before(ctx, sc); err != nil {
			return err
		}
	}
	s.others++
	return nil
}

// leavePerson restores it after each run elsewhere.
func (s *Shared) leavePerson(ctx context.Context) (err error) {
	s.beside.Lock()
	defer s.beside.Unlock()
	if s.others--; s.others == 0 {
		_, err = s.person.After(ctx)
	} else {
		_, err = s.person.putBack(ctx)
	}
	return err
}

// Moved says that the engine itself has moved a reference; "" has it deleted.
func (s *Shared) Moved(ref, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to == "" {
		delete(s.refs, ref)
	} else if s.refs != nil {
		s.refs[ref] = to
	}
}

// url is where origin is, as git's settings have it; "": nowhere.
func (s *Shared) url() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, origin, _ := strings.Cut("\n"+string(s.files["config"].Text), "\n[remote \"origin\"]\n")
	for line := range strings.Lines(origin) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case strings.HasPrefix(key, "["):
			return ""
		case strings.TrimSpace(key) == "url":
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// wentBack adds commits that work trees were reset to, and returns all of them: the
// guard of one work tree may put back the reference that another's was reset by.
func (s *Shared) wentBack(commits []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range commits {
		if !slices.Contains(s.back, c) {
			s.back = append(s.back, c)
		}
	}
	return slices.Clone(s.back)
}

func (s *Shared) expected() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.refs)
}

// unguarded are the kinds of references that fetches and git's own commands move.
var unguarded = []string{"remotes", "prefetch", "original", "bisect", "rewritten", "worktree"}

// readRefs reads all local references as files, since that is done around every
// run.
func readRefs(ctx context.Context, place git.Place, repo git.Repo) (map[string]string, error) {
	refs := map[string]string{}
	if _, err := os.Lstat(filepath.Join(place.Common(), "reftable")); err == nil {
		a, err := repo.Run(ctx, git.Call{Args: []string{"for-each-ref", "--format=%(objectname) %(refname)"}})
		if err == nil && a.Exit != 0 {
			err = errors.New(a.Stderr)
		}
		addRefs(refs, a.Stdout)
		return refs, err
	}
	packed, err := os.ReadFile(filepath.Join(place.Common(), "packed-refs"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	addRefs(refs, packed)
	top := filepath.Join(place.Common(), "refs")
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && filepath.Dir(path) == top && slices.Contains(unguarded, d.Name()):
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasSuffix(path, ".lock"):
			return nil
		}
		name, err := filepath.Rel(place.Common(), path)
		if hash, gone := os.ReadFile(path); gone == nil {
			addRefs(refs, append(bytes.TrimSpace(hash), " "+filepath.ToSlash(name)...))
		}
		return err
	})
	return refs, err
}

// addRefs adds lines of a hash and a name each.
func addRefs(refs map[string]string, lines []byte) {
	for line := range strings.Lines(string(lines)) {
		hash, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		local, is := strings.CutPrefix(name, "refs/")
		kind, _, _ := strings.Cut(local, "/")
		if is && git.IsHash(hash) && !slices.Contains(unguarded, kind) {
			refs[name] = hash
		}
	}
}
