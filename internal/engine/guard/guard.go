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
	"hash/fnv"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// Options are what a guard is made of.
type Options struct {
	Root     string         // the project's folder in the work tree, whose .claude is guarded
	Work     gitwrite.Tree  // of that folder; none: it is opened
	Store    *durable.Store // of that .claude
	Main     string         // the project's folder in the main work tree, where that is another; else ""
	MainWork gitwrite.Tree  // of that folder; none: it is opened
	State    string         // the user's state folder; "": copies are kept in git's own folder
	Name     string         // of the engine, which has separate copies
	Now      func() time.Time
	Remark   func(format string, args ...any)
	Shared   *Shared // with the guards of other work trees of the repository

	dir string // where copies are kept, of a person's work tree beside the one of a run
}

// Guard looks after one work tree, one run at a time.
type Guard struct {
	Options
	Dir string // where copies are kept, out of the work tree
	// Left is what Recover found of a run whose engine was killed; nil: nothing.
	Left *Left

	repo    repository
	prefix  string // Root from the top of the work tree
	printer *git.Printer
	files   *copies // of the work tree
	own     *copies // of .claude
	person  *Guard  // of the main work tree, where that is another: a person works there
	record  record
	index   index
}

// repository is the one that is guarded.
type repository struct {
	top   string // of the work tree
	place git.Place
}

// stateFolder holds what warp keeps in a project.
const stateFolder = ".claude"

// New makes the guard of a work tree. It is git.ErrNotRepo where there is none.
func New(o Options) (*Guard, error) {
	var err error
	if o.Work.Dir != o.Root {
		if o.Work, err = gitwrite.Open(o.Root); err != nil {
			return nil, err
		}
	}
	tree := o.Work
	place, ok := git.LocateIn(o.Root, tree.Top())
	if !ok {
		return nil, git.ErrNotRepo
	}
	if o.Shared == nil {
		o.Shared = NewShared()
	}
	g := &Guard{Options: o, repo: repository{tree.Top(), place}, Dir: o.dir}
	switch {
	case o.dir != "":
	case o.State != "":
		h := fnv.New64a()
		h.Write([]byte(tree.Top()))
		g.Dir = filepath.Join(o.State, "guard", strings.ToLower(filepath.Base(tree.Top()))+"-"+strconv.FormatUint(h.Sum64(), 36)+"-"+o.Name)
	default:
		g.Dir = filepath.Join(place.GitDir(), "warp", "guard-"+o.Name)
	}
	if g.prefix, err = relative(tree.Top(), o.Root); err != nil {
		return nil, err
	}
	g.prefix = filepath.ToSlash(g.prefix)
	g.printer = git.NewPrinter(tree.Root(), path.Join(g.prefix, stateFolder))
	g.printer.All = true
	g.files = newCopies(tree.Top(), filepath.Join(g.Dir, "files"))
	g.own = newCopies(o.Root, filepath.Join(g.Dir, "state"))
	if o.Main != "" && o.Main != o.Root { // while a run goes on here, an agent may reach that all the same
		g.person, err = New(Options{Root: o.Main, Work: o.MainWork, Store: o.Store.At(filepath.Join(o.Main, stateFolder)), Now: o.Now, Remark: o.Remark, Shared: o.Shared, dir: filepath.Join(g.Dir, "person")})
	}
	return g, err
}

// relative is the way from one folder to another, where links lead to either.
func relative(from, to string) (string, error) {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return "", err
	}
	if to, err = filepath.EvalSymlinks(to); err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}

// locate is where the repository is, as long as the work tree is the one that the
// guard was made for.
func (g *Guard) locate() (git.Place, bool) { return git.LocateIn(g.Root, g.Work.Top()) }

// Snapshot is the work tree as a tree of git's: without .claude, and without what
// is a person's alone, even where a run has changed what git ignores.
func (g *Guard) Snapshot() (string, error) {
	tree, err := g.Work.Repo().Snapshot(g.Private()...)
	if u := (*git.Unreadable)(nil); errors.As(err, &u) {
		err = nil // what cannot be read is not the run's
	}
	return tree, err
}

// SnapshotOf is a commit's tree as Snapshot would have it: without .claude, of which a
// commit may have files. Compared with the commit itself, they would seem deleted.
func (g *Guard) SnapshotOf(ctx context.Context, commit string) (string, error) {
	repo := g.Work.Repo()
	empty, err := repo.Trees().Empty()
	if err != nil {
		return "", err
	}
	own, err := repo.Trees().Files(commit, path.Join(g.prefix, stateFolder))
	if err != nil {
		return "", err
	}
	return repo.Trees().Graft(ctx, commit, empty, own)
}

// Private are the paths, from the project's folder, of which nothing is ever
// committed. They may be above it: a tree is of the whole repository.
func (g *Guard) Private() []string {
	list := []string{stateFolder}
	for _, p := range slices.Sorted(slices.Values(g.record.Private)) {
		rel, err := filepath.Rel(filepath.FromSlash(g.prefix), filepath.FromSlash(p))
		if rel = filepath.ToSlash(rel); err == nil && rel != "." && !strings.HasPrefix(rel+"/", stateFolder+"/") {
			list = append(list, rel)
		}
	}
	return list
}

// TurnFile is the lock of the work tree: its runs take turns, whichever engines
// they are of, since what two agents change at once cannot be told apart.
func (g *Guard) TurnFile() string { return filepath.Join(g.repo.place.GitDir(), "warp", "turn.lock") }

// Clear removes the copies, when no run is under way any more.
func (g *Guard) Clear() {
	var r record
	if g.loadNote(&r) == nil && r.Run != nil {
		return // what was not put back is still needed
	}
	g.files.clear()
	g.own.clear()
	g.Shared.release(context.Background(), g)
	if g.person != nil {
		g.person.Clear()
	}
}

// GoneError says that the repository is gone, and what can be done.
type GoneError struct {
	Top, Copies, Remote string
	Linked              bool // a work tree of the engine's own is gone, not the repository
}

func (e *GoneError) Error() string {
	if e.Linked {
		return fmt.Sprintf("the work tree %s was deleted while an agent ran; what was committed in it is on its branch", e.Top)
	}
	return fmt.Sprintf("the repository of %s is gone: its .git was deleted or moved while an agent ran. "+
		"Commits, branches and stashes that were never pushed are lost with it; the files in the work tree are still there", e.Top)
}

// Advice is how to recover the rest.
func (e *GoneError) Advice() string {
	if e.Linked {
		return "resume it: warp makes the work tree again"
	}
	from := "git init, then git add and commit the files that are left"
	if e.Remote != "" {
		from = fmt.Sprintf("git clone %s into another folder, and move its .git here", e.Remote)
	}
	return fmt.Sprintf("%s; copies of your uncommitted and ignored files from before the run are in %s", from, e.Copies)
}

// gone says what is lost with the repository.
func (g *Guard) gone() error {
	e := &GoneError{Top: g.Work.Top(), Copies: filepath.Join(g.Dir, "files"), Remote: g.Shared.url()}
	if g.person != nil {
		_, e.Linked = g.person.locate()
	}
	return e
}

// Gone reports whether an error says so.
func Gone(err error) (*GoneError, bool) {
	var e *GoneError
	return e, errors.As(err, &e)
}
