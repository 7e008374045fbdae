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

	"warp/internal/durable"
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
	put     bool     // a reference was put back

	// Written only while no run is under way:
	began time.Time       // the first of the runs
	files map[string]file // git's own, from the common folder
	stash file            // the log of refs/stash, which is all that lists stashes

	beside sync.Mutex
	person *Run // the main work tree, as it was before the first of the runs elsewhere
	others int  // runs elsewhere

	holding
}

// holding is what is kept from being collected.
type holding struct {
	name   string            // in references
	held   map[string]bool   // the objects
	by     map[string]string // the references that hold them, with what they name
	staged []string          // in the work trees of the runs, a mode and a hash each
}

// NewShared is for the guards of one repository.
func NewShared() *Shared { return &Shared{holding: holding{name: heldName()}} }

// enter records what there is, unless a run is under way that may have changed it.
func (s *Shared) enter(ctx context.Context, g *Guard, before git.Print) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == 0 {
		s.back, s.put, s.staged, s.began = nil, false, nil, g.Now()
		if s.refs, err = g.repo.place.Refs(ctx); err != nil {
			return err
		}
		for ref, object := range s.by {
			if s.refs[ref] != object {
				s.held = nil // an agent has deleted or moved it
			}
		}
		s.files = readGitFiles(g.repo.place)
		s.stash, _ = readFile(filepath.Join(g.repo.place.Common(), stashLog)) // mostly there is none
	}
	// A branch that was made since then is known from now on: else its own run could move it
	// unseen.
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

// leavePerson restores it after each run elsewhere. The run that leaves reports what was
// found: the first of them may be over, and what is reported to it then is lost (a
// person's change during the second of two tasks was once told to no one).
func (s *Shared) leavePerson(ctx context.Context, report func(Finding)) (err error) {
	s.beside.Lock()
	defer s.beside.Unlock()
	s.person.Report = report
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

// putBack says that a reference was put back, and reports whether one was: then it was
// an agent that moved it, and what is staged beside it may be the agent's.
func (s *Shared) putBack(now bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.put = s.put || now
	return s.put
}

func (s *Shared) expected() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.refs)
}

// movesMost is how large the file of moves may grow before another is begun.
const movesMost = 64 << 10

// movesFile is where engines note the references that they have moved, so that
// the guard of another engine does not take it for its agent's doing.
func (g *repository) movesFile() string { return filepath.Join(g.place.Common(), "warp", "moves") }

// gone stands in the file of moves for a reference that was deleted.
const gone = "-"

// RecordMove notes that an engine has moved a reference, or deleted it ("").
func (g *Guard) RecordMove(ref, to string) error {
	g.Shared.Moved(ref, to)
	return g.AnnounceMove(ref, to)
}

// MoveRef has the engine move a reference, in whichever direction, while no guard of the same
// repository looks: one that did between the move and its record would take the one for an
// agent's, or an agent's for the one.
func (g *Guard) MoveRef(ref string, move func() (to string, err error)) error {
	g.Shared.restoring.Lock()
	defer g.Shared.restoring.Unlock()
	to, err := move()
	if err != nil {
		return err
	}
	return g.RecordMove(ref, to)
}

// AnnounceMove notes that an engine is about to move a reference: one that is moved first
// may be put back by the guard of another engine before the note is there. Engines append
// at the same time: a file that is full is put away whole, so that no line is lost.
func (g *Guard) AnnounceMove(ref, to string) error { return g.repo.announce(ref, to, g.Now()) }

// AnnounceDeletion notes that a reference is about to be deleted by a command that guards
// no run of its own.
func AnnounceDeletion(place git.Place, ref string, now time.Time) error {
	return (&repository{place: place}).announce(ref, "", now)
}

func (g *repository) announce(ref, to string, now time.Time) error {
	path := g.movesFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return durable.AppendNote(path, fmt.Appendf(nil, "%s %s %d\n", ref, cmp.Or(to, gone), now.UnixNano()), movesMost, 0o644)
}

// recorded reports whether another engine has moved a reference to where it is since
// the run began: forward or aside, never back; or has deleted it.
func (g *Guard) recorded(ref, was, to string) bool {
	if to == "" {
		to = gone
	} else if back, err := g.Work.Repo().Descends(was, to); err != nil || back {
		return false
	}
	for _, path := range []string{g.repo.movesFile(), g.repo.movesFile() + ".old"} {
		text, _ := durable.ReadPlain(path) // mostly there is none
		for line := range strings.Lines(string(text)) {
			var r, h string
			var at int64
			if _, err := fmt.Sscan(line, &r, &h, &at); err == nil && r == ref && h == to && at >= g.Shared.began.UnixNano() {
				return true
			}
		}
	}
	return false
}
