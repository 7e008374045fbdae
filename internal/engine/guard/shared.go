package guard

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// Shared is what the work trees of a repository share: its refs, and git's own files. Parallel runs
// have one expectation of them, to which the engine's own moves are added.
type Shared struct {
	restoring sync.Mutex // one guard at a time restores shared things

	mu       sync.Mutex
	running  int
	refs     map[string]string
	resets   []string // commits that refs were restored from
	restored bool     // a ref was restored

	// Written only while no run is in progress:
	began time.Time       // when the first run began
	files map[string]file // git's own, relative to the common folder
	stash file            // the log of refs/stash, the only list of stashes

	beside sync.Mutex
	person *Run // the main work tree as before the first run elsewhere
	others int  // number of runs elsewhere

	holding
}

// holding is what is protected from garbage collection.
type holding struct {
	name   string            // the name in refs
	held   map[string]bool   // the objects
	by     map[string]string // the refs that hold them, with their targets
	staged []string          // in the runs' work trees, as mode and hash
}

// NewShared returns a Shared for the guards of one repository.
func NewShared() *Shared {
	return &Shared{holding: holding{name: fmt.Sprintf("%s/%d", heldBy(os.Getpid()), sharedCount.Add(1))}}
}

// enter records the present state, unless a running run may have changed it.
func (s *Shared) enter(ctx context.Context, g *Guard, before git.Print) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == 0 {
		s.resets, s.restored, s.staged, s.began = nil, false, nil, g.Now()
		if s.refs, err = g.repo.place.Refs(ctx); err != nil {
			return err
		}
		for ref, object := range s.by {
			if s.refs[ref] != object {
				s.held = nil // an agent deleted or moved it
			}
		}
		s.files = readGitFiles(g.repo.place)
		s.stash, _ = readFile(filepath.Join(g.repo.place.Common(), stashLog)) // usually there is none
	}
	// A branch created since is recorded now: otherwise its own run could move it unnoticed.
	if ref := heads + before.Branch; before.Branch != "" && before.Head != "" && s.refs[ref] == "" {
		s.refs[ref] = before.Head
	}
	if err = s.hold(ctx, g, before.Staged); err != nil {
		return err
	}
	s.running++
	return nil
}

func (s *Shared) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running = max(0, s.running-1)
}

// enterPerson records the main work tree before the first run elsewhere: a later one may find what
// another did there.
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

// leavePerson restores the main work tree after each run elsewhere. The leaving run reports the
// findings: the first one may be over, and its reports lost (a person's change during the second of
// two tasks once went unreported).
func (s *Shared) leavePerson(ctx context.Context, report func(Finding)) (err error) {
	s.beside.Lock()
	defer s.beside.Unlock()
	s.person.Report = report
	if s.others--; s.others == 0 {
		_, err = s.person.After(ctx)
	} else {
		_, err = s.person.restoreAll(ctx)
	}
	return err
}

// Moved records that the engine itself moved a ref; "" means deleted.
func (s *Shared) Moved(ref, to string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if to == "" {
		delete(s.refs, ref)
	} else if s.refs != nil {
		s.refs[ref] = to
	}
}

// url returns origin's URL from git's settings, or "".
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

// recordResets adds commits that work trees were reset to, and returns all of them: one work tree's
// guard may restore the ref by which another was reset.
func (s *Shared) recordResets(commits []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resets = append(s.resets, text.Without(commits, s.resets)...)
	return slices.Clone(s.resets)
}

// recordRestored records whether a ref was restored, and reports whether one ever was: then an
// agent moved it, and what is staged along with it may be the agent's.
func (s *Shared) recordRestored(now bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.restored = s.restored || now
	return s.restored
}

func (s *Shared) expected() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.refs)
}

// movesMost is how large the file of moves may grow before a new one is started.
const movesMost = 64 << 10

// movesFile returns where engines record the refs they moved, so that another engine's guard does
// not blame its agent.
func (g *repository) movesFile() string { return filepath.Join(g.place.Common(), "warp", "moves") }

// deletedMark marks a deleted ref in the file of moves.
const deletedMark = "-"

// RecordMove records that an engine moved a ref, or deleted it ("").
func (g *Guard) RecordMove(ref, to string) error {
	g.Shared.Moved(ref, to)
	return g.AnnounceMove(ref, to)
}

// MoveRef lets the engine move a ref in any direction while no guard of the repository compares
// refs: one that did so between the move and its record would confuse it with an agent's move.
func (g *Guard) MoveRef(ref string, move func() (to string, err error)) error {
	g.Shared.restoring.Lock()
	defer g.Shared.restoring.Unlock()
	to, err := move()
	if err != nil {
		return err
	}
	return g.RecordMove(ref, to)
}

// AnnounceMove records that an engine is about to move a ref: otherwise another engine's guard
// might revert the move before it is recorded. Engines append concurrently: a full file is set
// aside whole, so that no line is lost.
func (g *Guard) AnnounceMove(ref, to string) error { return g.repo.announce(ref, to, g.Now()) }

// AnnounceDeletion records that a command without a guarded run is about to delete a ref.
func AnnounceDeletion(place git.Place, ref string, now time.Time) error {
	return (&repository{place: place}).announce(ref, "", now)
}

func (g *repository) announce(ref, to string, now time.Time) error {
	path := g.movesFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return durable.AppendNote(path, fmt.Appendf(nil, "%s %s %d\n", ref, cmp.Or(to, deletedMark), now.UnixNano()), movesMost, 0o644)
}

// recorded reports whether another engine moved a ref to its present place since the run began,
// forward or aside but never back, or deleted it.
func (g *Guard) recorded(ref, was, to string) bool {
	if to == "" {
		to = deletedMark
	} else if back, err := g.Work.Repo().Descends(was, to); err != nil || back {
		return false
	}
	for _, path := range []string{g.repo.movesFile(), g.repo.movesFile() + ".old"} {
		moves, _ := durable.ReadPlain(path) // usually there is none
		for line := range strings.Lines(string(moves)) {
			var r, h string
			var at int64
			if _, err := fmt.Sscan(line, &r, &h, &at); err == nil && r == ref && h == to && at >= g.Shared.began.UnixNano() {
				return true
			}
		}
	}
	return false
}
