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
	// Owner names the work: what was uncommitted before its first run, and what changes between its
	// runs, is a person's.
	Owner    string
	Label    string   // prefix of the names under which things are kept
	Refs     []string // refs that only the engine moves
	ReadOnly bool     // it may change nothing
	Beside   bool     // the run is elsewhere: a person works here
	// Contained: the run can write no ref, and works next to a person's work tree. Every move there
	// except of its own branch is a person's, and stays.
	Contained bool
	Holds     bool // after a kill, restore all of Refs; else only the first
	// Allows selects the paths it may change; nil: all.
	Allows func(path string) bool
	// Documents are the engine's own; nothing else may write them.
	Documents []Document
	// Expected reports whether another engine moved a ref; nil: none does.
	Expected func(ref, hash string) bool
	Report   func(Finding)
}

// forMainTree returns the scope of a run for the main work tree: it may change nothing there, but a
// person may.
func (sc Scope) forMainTree() Scope {
	sc.Owner, sc.Beside, sc.ReadOnly, sc.Documents = "person", true, false, nil
	sc.Allows = func(string) bool { return false }
	return sc
}

// Document is an engine's document. Repair restores what something else wrote, and reports whether
// it had to.
type Document interface{ Repair() (bool, error) }

// Kinds of findings.
const (
	Commit    = "commit"    // refs, the checkout, an unfinished rebase
	Destroyed = "destroyed" // something of a person's that was restored
	Yours     = "yours"     // something of a person's that was changed; the old version is kept
	Settings  = "settings"  // git's own, or warp's
	State     = "state"     // the engine's own documents
	Looked    = "read_only" // changed by a read-only run
	Pushed    = "remote"    // a push that the engine did not make
)

// Finding is something a run did that it may not, and what was done about it.
type Finding struct {
	What string
	Text string
	Kept string // where the original is kept: a ref or a path
}

// Outcome is what a run did to the work tree.
type Outcome struct {
	Changed  []string `json:"changed,omitempty"`  // paths that are the run's
	Yours    []string `json:"yours,omitempty"`    // paths of a person's uncommitted work that the run or the person changed
	Outside  []string `json:"outside,omitempty"`  // other changed paths, outside what it may change
	Revealed []string `json:"revealed,omitempty"` // formerly ignored paths
}

// Run is one run under guard.
type Run struct {
	Scope
	g      *Guard
	before git.Print
	theirs map[string]bool
	under  []string // unfinished git operations and locks before the run
	beside bool     // the main work tree is guarded too; Recover does that separately
	// Between are the paths that changed since the last run, which are a person's.
	Between []string
}

// Before records the present state, and copies what git does not have.
func (g *Guard) Before(ctx context.Context, sc Scope) (*Run, error) {
	if _, ok := g.locate(); !ok {
		return nil, g.goneError()
	}
	g.Began = true
	if g.person != nil {
		if err := g.Shared.enterPerson(ctx, g.person, sc.forMainTree()); err != nil {
			return nil, err
		}
	}
	r := &Run{Scope: sc, g: g, beside: g.person != nil, under: g.repo.underWayNow(slices.Concat(underWay, locks)...)}
	err := r.recordState(ctx)
	if err != nil && r.beside {
		err = errors.Join(err, g.Shared.leavePerson(ctx, sc.Report))
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (r *Run) recordState(ctx context.Context) (err error) {
	g := r.g
	if r.before, err = g.printer.Print(ctx); err != nil {
		return err
	}
	if err := g.refreshIndex(ctx); err != nil {
		return err
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

// After restores what the run may not have changed, and returns what is its own.
func (r *Run) After(ctx context.Context) (out Outcome, err error) {
	defer r.g.Shared.leave()
	if r.beside {
		err = r.g.Shared.leavePerson(ctx, r.Report)
	}
	out, bad := r.restoreAll(ctx)
	if err = errors.Join(err, bad); err != nil {
		return out, err
	}
	r.g.record.Run = nil
	return out, r.g.saveNote(&r.g.record)
}

// restoreAll restores everything that the run may not have changed. A failure does not stop what
// does not depend on it.
func (r *Run) restoreAll(ctx context.Context) (out Outcome, err error) {
	g := r.g
	if _, ok := g.locate(); !ok {
		return out, g.goneError()
	}
	err = errors.Join(removePipes(r), r.restoreState(), restoreRights(r))
	reverted, bad := r.restoreShared(ctx)
	err = errors.Join(err, bad)
	now, bad := r.restoreIndex(ctx, r.Beside && !g.Shared.recordRestored(len(reverted) > 0))
	if bad != nil {
		return out, errors.Join(err, bad)
	}
	c, bad := r.sortChanges(ctx, now, reverted)
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
	for p := range now.Dirty { // restored, and no longer ignored by git
		if _, had := r.before.Dirty[p]; again && !had && isIgnored(r.before.Ignored, p) && !slices.Contains(c.Revealed, p) {
			c.Revealed = append(c.Revealed, p)
		}
	}
	g.record.addOutcome(now, r.Label, c.Outcome)
	return c.Outcome, err
}

func (r *Run) report(what, kept, format string, args ...any) {
	if r.Report != nil {
		r.Report(Finding{What: what, Kept: kept, Text: fmt.Sprintf(format, args...)})
	}
}

// reportPaths reports what was done about paths, if there are any.
func (r *Run) reportPaths(what, kept, done string, paths []string) {
	if len(paths) > 0 {
		r.report(what, kept, "%s: %s", done, text.Quote(slices.Sorted(slices.Values(paths)), 5))
	}
}
