// Package guard records what a repository and its work tree are like before an
// agent runs, and restores afterwards what the agent may not have changed. It
// knows nothing of drives, sessions or workflows: its caller says which
// references only the engine moves, what the run may change, and where to report.
//
// It guarantees, for every kind of agent:
//
//   - What a person had is still there: commits, branches, tags, stashes, what is
//     staged, changed, untracked and ignored, git's own settings and hooks, and
//     .claude. What was overwritten rather than destroyed is kept beside, since
//     the person may have done it.
//   - A run that may only look has changed nothing.
//   - Each changed path has an owner: the run, or a person. What was ignored or
//     untracked before the work began is never the run's.
//   - Whatever is killed, the next engine finds the note of the run that was under
//     way, and looks after what it left.
//
// Ignored folders with more than a thousand files (dependencies, caches) are named
// and not copied. Containing an agent, and judging its work, is left to others.
package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// Guard looks after one work tree, one run at a time.
type Guard struct {
	repository
	Root   string         // the project's folder in it, whose .claude is guarded
	Store  *durable.Store // of that .claude
	Main   string         // the project's folder in the main work tree, where that is another; else ""
	Dir    string         // where copies are kept, out of the work tree
	Now    func() time.Time
	Remark func(format string, args ...any)
	Shared *Shared // with the guards of other work trees of the repository
	// Left is what Recover found of a run whose engine was killed; nil: nothing.
	Left *Left

	printer *git.Printer
	files   *copies // of the work tree
	own     *copies // of .claude
	person  *Guard  // of the main work tree, where that is another: a person works there
	record  record
	index
}

// repository is the one that is guarded.
type repository struct {
	Work  work.Tree
	place git.Place
}

// Options are what a guard is made of.
type Options struct {
	Root   string
	Store  *durable.Store
	Main   string // "": Root is in the main work tree
	State  string // the user's state folder; "": copies are kept in git's own folder
	Name   string // of the engine, which has copies of its own
	Now    func() time.Time
	Remark func(format string, args ...any)
	Shared *Shared
}

// stateFolder holds what warp keeps in a project.
const stateFolder = ".claude"

// New makes the guard of a work tree. It is git.ErrNotRepo where there is none.
func New(o Options) (*Guard, error) {
	tree, err := work.Open(o.Root)
	if err != nil {
		return nil, err
	}
	g := &Guard{repository: repository{Work: tree}, Root: o.Root, Store: o.Store, Main: o.Main, Now: o.Now, Remark: o.Remark, Shared: o.Shared}
	if g.Shared == nil {
		g.Shared = NewShared()
	}
	place, ok := g.locate()
	if !ok {
		return nil, git.ErrNotRepo
	}
	g.place = place
	if g.Dir = filepath.Join(place.GitDir(), "warp", "guard-"+o.Name); o.State != "" {
		g.Dir = filepath.Join(o.State, "guard", hashed(tree.Top())+"-"+o.Name)
	}
	prefix, err := filepath.Rel(tree.Top(), o.Root)
	if err != nil {
		return nil, err
	}
	if g.printer, err = git.NewPrinter(tree.Top(), path.Join(filepath.ToSlash(prefix), stateFolder)); err != nil {
		return nil, err
	}
	g.printer.All = true
	g.files = newCopies(tree.Top(), filepath.Join(g.Dir, "files"))
	g.own = newCopies(o.Root, filepath.Join(g.Dir, "state"))
	if o.Main != "" && o.Main != o.Root {
		g.person, err = g.beside(o)
	}
	return g, err
}

// beside is the guard of the main work tree while a run goes on in another: an
// agent may reach it all the same. Other engines file issues there meanwhile.
func (g *Guard) beside(o Options) (*Guard, error) {
	store := durable.New(durable.Config{Dir: filepath.Join(o.Main, stateFolder), Now: o.Now, PID: os.Getpid()})
	p, err := New(Options{Root: o.Main, Store: store, State: o.State, Name: o.Name, Now: o.Now, Remark: o.Remark, Shared: g.Shared})
	if err != nil {
		return nil, err
	}
	p.Dir = filepath.Join(g.Dir, "person")
	p.files.dir, p.own.dir, p.own.filed = filepath.Join(p.Dir, "files"), filepath.Join(p.Dir, "state"), true
	return p, nil
}

// besides is what a run may do in the main work tree: nothing, but that a person
// may go on there.
func (sc Scope) besides() Scope {
	return Scope{Owner: "person", Label: sc.Label, Refs: sc.Refs, Beside: true, Allows: func(string) bool { return false }, Expected: sc.Expected, Report: sc.Report}
}

// Scope is what one run may do, and whose work it is.
type Scope struct {
	// Owner names the work: what was uncommitted before its first run is a
	// person's, and what changes between its runs, too.
	Owner    string
	Label    string   // begins the names under which things are kept
	Refs     []string // references that only the engine moves
	ReadOnly bool     // it may only look
	Beside   bool     // it goes on elsewhere: a person works here
	// Allows tells the paths that it may change; nil: all.
	Allows func(path string) bool
	// Documents are the engine's own, which nothing else writes meanwhile.
	Documents []Document
	// Expected tells a reference that another engine has moved; nil: none does.
	Expected func(ref, hash string) bool
	Report   func(Finding)
}

// Document is one of the engine's own. Repair restores what something else has
// written, and tells whether it had to.
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
	under  map[string]bool // what was under way in git, and locks, before
	// Between are the paths that changed since the run before, which are a
	// person's.
	Between []string
}

// Before records what there is. What git does not have is copied.
func (g *Guard) Before(ctx context.Context, sc Scope) (r *Run, err error) {
	if _, ok := g.locate(); !ok {
		return nil, g.gone()
	}
	r = &Run{Scope: sc, g: g, under: g.underWayNow()}
	if g.person != nil {
		if err := g.Shared.enterPerson(ctx, g.person, sc.besides()); err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				err = errors.Join(err, g.Shared.leavePerson(ctx))
			}
		}()
	}
	if r.before, err = g.printer.Print(ctx); err != nil {
		return nil, err
	}
	if err := g.watchIndex(ctx); err != nil {
		return nil, err
	}
	r.Between = g.attribute(sc.Owner, r.before)
	r.theirs = g.record.theirs()
	if err := g.Shared.enter(ctx, g.place, g.Work.Repo()); err != nil {
		return nil, err
	}
	if err = g.copy(ctx, r.before); err == nil {
		err = g.note(r)
	}
	if err != nil {
		g.Shared.leave()
		return nil, err
	}
	return r, nil
}

// After puts back what the run may not have changed, and tells what is its own.
func (r *Run) After(ctx context.Context) (out Outcome, err error) {
	g := r.g
	defer g.Shared.leave()
	if g.person != nil {
		err = g.Shared.leavePerson(ctx)
	}
	if _, ok := g.locate(); !ok {
		return out, errors.Join(err, g.gone())
	}
	out, bad := r.putBack(ctx)
	if err = errors.Join(err, bad); err != nil {
		return out, err
	}
	return out, g.dismiss()
}

// putBack restores all that the run may not have changed.
func (r *Run) putBack(ctx context.Context) (Outcome, error) {
	bad := r.restoreState()
	out, err := r.restore(ctx)
	return out, errors.Join(bad, err)
}

// restore puts back references and files.
func (r *Run) restore(ctx context.Context) (out Outcome, err error) {
	g := r.g
	reverted, bad := r.restoreShared(ctx)
	now, err := r.restoreIndex(ctx)
	if err != nil {
		return out, errors.Join(bad, err)
	}
	c, err := r.compare(ctx, now, reverted)
	if err != nil {
		return out, err
	}
	again, err := r.restoreFiles(ctx, c)
	if err != nil {
		return out, err
	}
	if again {
		if now, err = g.printer.Print(ctx); err != nil {
			return out, err
		}
		for p := range now.Dirty { // put back, where git does not ignore it any more
			if _, had := r.before.Dirty[p]; !had && covered(r.before.Ignored, p) && !slices.Contains(c.revealed, p) {
				c.revealed = append(c.revealed, p)
			}
		}
	}
	out = Outcome{Changed: c.run, Yours: c.yours, Outside: c.outside, Revealed: c.revealed}
	g.record.after(now, r.Label, out)
	return out, errors.Join(bad, g.record.save(g.recordFile()))
}

// restoreShared puts back what the work trees have in common: what another guard
// has put back a moment before is as it should be.
func (r *Run) restoreShared(ctx context.Context) (reverted []string, err error) {
	r.g.Shared.restoring.Lock()
	defer r.g.Shared.restoring.Unlock()
	if err := r.restoreGit(ctx); err != nil {
		return nil, err
	}
	if reverted, err = r.restoreRefs(ctx); err != nil {
		return nil, err
	}
	return reverted, r.restoreOtherRefs(ctx)
}

// Settle takes the work tree as the engine itself has just left it: what differs
// from before is not a person's.
func (g *Guard) Settle(ctx context.Context) error {
	if g.record.Owner == "" {
		return nil
	}
	now, err := g.printer.Print(ctx)
	if err != nil {
		return err
	}
	g.record.Last = &now
	return g.record.save(g.recordFile())
}

// Snapshot is the work tree as a tree of git's: without .claude, and without what
// is a person's alone, even where a run has changed what git ignores.
func (g *Guard) Snapshot() (string, error) {
	tree, err := g.Work.Repo().Snapshot(g.Private()...)
	if u := (*git.Unreadable)(nil); errors.As(err, &u) {
		err = nil // what cannot be read is not the run's
	}
	return tree, err
}

// Private are the paths, from the project's folder, of which nothing is ever
// committed.
func (g *Guard) Private() []string {
	list := []string{stateFolder}
	for _, p := range slices.Concat(g.record.Private, g.record.Ignored) {
		if rel, err := filepath.Rel(g.Root, filepath.Join(g.Work.Top(), filepath.FromSlash(p))); err == nil { // also above the project: a tree is of the whole repository
			if rel = filepath.ToSlash(rel); rel != "." && !strings.HasPrefix(rel+"/", stateFolder+"/") {
				list = append(list, rel)
			}
		}
	}
	return list
}

// TurnFile is the lock of the work tree: its runs take turns, whichever engines
// they are of, since what two agents change at once cannot be told apart.
func (g *repository) TurnFile() string { return filepath.Join(g.place.GitDir(), "warp", "turn.lock") }

// Clear removes the copies, when no run is under way any more.
func (g *Guard) Clear() {
	if _, pending := g.Interrupted(); pending {
		return // what was not put back is still needed
	}
	g.files.clear()
	g.own.clear()
	if g.person != nil {
		g.person.Clear()
	}
}

// locate is where the repository is, as long as the work tree is the one that the
// guard was made for: one that is gone must not be taken for another around it.
func (g *Guard) locate() (git.Place, bool) {
	place, ok := git.Locate(g.Root)
	if !ok || place.Top != g.Work.Top() && !sameFolder(place.Top, g.Work.Top()) {
		return git.Place{}, false
	}
	if _, err := os.Stat(filepath.Join(place.Common(), "objects")); err != nil {
		return git.Place{}, false
	}
	return place, true
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func (r *Run) report(what, kept, format string, args ...any) {
	if r.Report != nil {
		r.Report(Finding{What: what, Kept: kept, Text: fmt.Sprintf(format, args...)})
	}
}
