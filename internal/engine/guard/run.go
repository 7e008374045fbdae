package guard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// Scope is what one run may do, and whose work it is.
type Scope struct {
	// Owner names the work: what was uncommitted before its first run is a
	// person's, and what changes between its runs, too.
	Owner    string
	Label    string   // begins the names under which things are kept
	Refs     []string // references that only the engine moves
	ReadOnly bool     // it may only look
	Beside   bool     // it goes on elsewhere: a person works here
	// Contained: it can write no reference, and works beside a person's work tree. What
	// moves there but for its own branch is a person's doing, and stays.
	Contained bool
	Holds     bool // after a kill, too, all of Refs are put back; else the first alone
	// Allows tells the paths that it may change; nil: all.
	Allows func(path string) bool
	// Documents are the engine's own, which nothing else writes meanwhile.
	Documents []Document
	// Expected tells a reference that another engine has moved; nil: none does.
	Expected func(ref, hash string) bool
	Report   func(Finding)
}

// besides is what a run may do in the main work tree: nothing, but that a person
// may go on there.
func (sc Scope) besides() Scope {
	sc.Owner, sc.Beside, sc.ReadOnly, sc.Documents = "person", true, false, nil
	sc.Allows = func(string) bool { return false }
	return sc
}

// Document is one of the engine's own. Repair restores what something else has
// written, and reports whether it had to.
type Document interface{ Repair() (bool, error) }

// What a finding is about.
const (
	Commit    = "commit"    // references, what is checked out, a rebase left under way
	Destroyed = "destroyed" // something of a person's that was put back
	Yours     = "yours"     // something of a person's that was changed, and is kept as it was
	Settings  = "settings"  // git's own, or warp's
	State     = "state"     // the engine's own documents
	Looked    = "read_only" // what a run changed that may only look
	Pushed    = "remote"    // a push that the engine did not make
)

// Finding is something that a run did and may not, and what was done about it.
type Finding struct {
	What string
	Text string
	Kept string // where what was there is kept: a reference or a path
}

// Outcome is what a run did to the work tree.
type Outcome struct {
	Changed  []string `json:"changed,omitempty"`  // paths that are the run's
	Yours    []string `json:"yours,omitempty"`    // paths of a person's uncommitted work that it changed, or the person did
	Outside  []string `json:"outside,omitempty"`  // paths that changed besides, outside of what it may change
	Revealed []string `json:"revealed,omitempty"` // paths that were ignored before, and are not any more
}

// Run is one run under guard.
type Run struct {
	Scope
	g      *Guard
	before git.Print
	theirs map[string]bool
	under  []string // what was under way in git, and locks, before
	beside bool     // the main work tree is guarded with it, which Recover does by itself
	// Between are the paths that changed since the run before, which are a
	// person's.
	Between []string
}

// Before records what there is. What git does not have is copied.
func (g *Guard) Before(ctx context.Context, sc Scope) (*Run, error) {
	if _, ok := g.locate(); !ok {
		return nil, g.gone()
	}
	if g.person != nil {
		if err := g.Shared.enterPerson(ctx, g.person, sc.besides()); err != nil {
			return nil, err
		}
	}
	r := &Run{Scope: sc, g: g, beside: g.person != nil, under: g.repo.underWayNow(slices.Concat(underWay, locks)...)}
	err := r.look(ctx)
	if err != nil && r.beside {
		err = errors.Join(err, g.Shared.leavePerson(ctx, sc.Report))
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Run) look(ctx context.Context) (err error) {
	g := r.g
	if r.before, err = g.printer.Print(ctx); err != nil {
		return err
	}
	if g.index.hidden == nil {
		if g.index, err = g.readIndex(ctx); err != nil {
			return err
		}
	}
	r.Between = g.attribute(r.Owner, r.before)
	r.theirs = maps.Clone(g.record.Theirs)
	if err := g.Shared.enter(ctx, g, r.before); err != nil {
		return err
	}
	if err = g.copy(r.before); err == nil {
		err = r.note()
	}
	if err != nil {
		g.Shared.leave()
	}
	return err
}

// After puts back what the run may not have changed, and tells what is its own.
func (r *Run) After(ctx context.Context) (out Outcome, err error) {
	defer r.g.Shared.leave()
	if r.beside {
		err = r.g.Shared.leavePerson(ctx, r.Report)
	}
	out, bad := r.putBack(ctx)
	if err = errors.Join(err, bad); err != nil {
		return out, err
	}
	r.g.record.Run = nil
	return out, r.g.saveNote(&r.g.record)
}

// putBack restores all that the run may not have changed. What fails does not keep
// the rest from being put back, as far as that does not depend on it.
func (r *Run) putBack(ctx context.Context) (out Outcome, err error) {
	g := r.g
	if _, ok := g.locate(); !ok {
		return out, g.gone()
	}
	err = errors.Join(removePipes(r), r.restoreState(), restoreRights(r))
	reverted, bad := r.restoreShared(ctx)
	err = errors.Join(err, bad)
	now, bad := r.restoreIndex(ctx, r.Beside && !g.Shared.putBack(len(reverted) > 0))
	if bad != nil {
		return out, errors.Join(err, bad)
	}
	c, bad := r.compare(ctx, now, reverted)
	if bad != nil {
		return out, errors.Join(err, bad)
	}
	again, bad := r.restoreFiles(ctx, c)
	if bad == nil && again {
		now, bad = g.printer.Print(ctx)
	}
	if bad != nil {
		return out, errors.Join(err, bad)
	}
	for p := range now.Dirty { // put back, where git does not ignore it any more
		if _, had := r.before.Dirty[p]; again && !had && covered(r.before.Ignored, p) && !slices.Contains(c.Revealed, p) {
			c.Revealed = append(c.Revealed, p)
		}
	}
	g.record.after(now, r.Label, c.Outcome)
	return c.Outcome, err
}

func (r *Run) report(what, kept, format string, args ...any) {
	if r.Report != nil {
		r.Report(Finding{What: what, Kept: kept, Text: fmt.Sprintf(format, args...)})
	}
}

// reportPaths reports what was done about some paths, where there are any.
func (r *Run) reportPaths(what, kept, done string, paths []string) {
	if len(paths) > 0 {
		r.report(what, kept, "%s: %s", done, text.Quote(slices.Sorted(slices.Values(paths)), 5))
	}
}
