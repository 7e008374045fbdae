// Package guard records a repository and its work tree before an agent runs, and afterwards
// restores what the agent may not have changed. It knows nothing of drives, sessions or workflows:
// its caller says which refs only the engine moves, what the run may change, and where to report.
//
// It guarantees, for every kind of agent:
//
//   - A person's things survive: commits, branches, tags, stashes, what is staged,
//     changed, untracked and ignored, git's own settings and hooks, and .claude. The
//     old version of what was overwritten rather than destroyed is kept, since the
//     person may have overwritten it.
//   - A read-only run has changed nothing.
//   - Each changed path has an owner: the run, or a person. What was ignored or
//     untracked before the work began is never the run's.
//   - Whatever is killed, the next engine finds the note of the unfinished run, and
//     cleans up after it.
//
// Ignored folders with more than a thousand files (dependencies, caches) are reported, not copied.
// Other packages contain agents and judge their work.
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

// Options configure a guard.
type Options struct {
	Root     string         // the project's folder in the work tree, whose .claude is guarded
	Work     gitwrite.Tree  // of Root; zero: opened from there
	Store    *durable.Store // of that .claude
	Main     string         // the project's folder in the main work tree if different, else ""
	MainWork gitwrite.Tree  // of Main; zero: opened from there
	State    string         // the user's state folder; "": copies go to git's own folder
	Name     string         // the engine's name; each engine has its own copies
	Now      func() time.Time
	Remark   func(format string, args ...any)
	Shared   *Shared // with the guards of the repository's other work trees

	dir string // where to keep copies of the person's work tree, for runs elsewhere
}

// Guard protects one work tree, one run at a time.
type Guard struct {
	Options
	Dir string // where copies are kept, outside the work tree
	// Left is what Recover found of a run whose engine was killed; nil: nothing.
	Left *Left
	// Began reports whether this engine has had a run. What was uncommitted before may be of an
	// engine that was killed.
	Began bool

	repo    repository
	prefix  string // Root relative to the top of the work tree
	printer *git.Printer
	files   *copies // of the work tree
	own     *copies // of .claude
	person  *Guard  // of the main work tree if different, where a person works
	record  record
	index   index
}

// repository is the guarded repository.
type repository struct {
	top   string // of the work tree
	place git.Place
}

// stateFolder holds warp's files in a project.
const stateFolder = ".claude"

// New returns the guard of a work tree, or git.ErrNotRepo if there is none.
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
	if o.Main != "" && o.Main != o.Root { // an agent that runs here may reach that one too
		g.person, err = New(Options{Root: o.Main, Work: o.MainWork, Store: o.Store.At(filepath.Join(o.Main, stateFolder)), Now: o.Now, Remark: o.Remark, Shared: o.Shared, dir: filepath.Join(g.Dir, "person")})
	}
	return g, err
}

// relative returns the path from one folder to another, with links resolved.
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

// locate returns the repository's place, while the work tree is still the one that the guard was
// made for.
func (g *Guard) locate() (git.Place, bool) { return git.LocateIn(g.Root, g.Work.Top()) }

// Snapshot returns the work tree as a git tree: without .claude and a person's private files, even
// if a run has changed what git ignores.
func (g *Guard) Snapshot() (string, error) {
	tree, err := g.Work.Repo().Snapshot(g.Private()...)
	if u := (*git.Unreadable)(nil); errors.As(err, &u) {
		err = nil // what cannot be read is not the run's
	}
	return tree, err
}

// SnapshotOf returns a commit's tree as Snapshot would: without .claude, of which a commit may have
// files. Compared with the commit itself, they would look deleted.
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

// Private returns the paths, relative to the project's folder, that are never committed. They may
// be above it, since a tree covers the whole repository.
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

// TurnFile returns the work tree's lock. All engines' runs in it take turns, since simultaneous
// changes of two agents cannot be told apart.
func (g *Guard) TurnFile() string { return filepath.Join(g.repo.place.GitDir(), "warp", "turn.lock") }

// Clear removes the copies once no run needs them.
func (g *Guard) Clear() {
	var r record
	if g.loadNote(&r) == nil && r.Run != nil {
		return // what was not restored is still needed
	}
	g.files.clear()
	g.own.clear()
	g.Shared.release(context.Background(), g)
	if g.person != nil {
		g.person.Clear()
	}
}

// GoneError reports that the repository is gone, and what can be done.
type GoneError struct {
	Top, Copies, Remote string
	Linked              bool // an engine's own work tree is gone, not the repository
}

func (e *GoneError) Error() string {
	if e.Linked {
		return fmt.Sprintf("the work tree %s was deleted while an agent ran; its commits are on its branch", e.Top)
	}
	return fmt.Sprintf("the repository of %s is gone: its .git was deleted or moved while an agent ran. "+
		"Commits, branches and stashes that were never pushed are lost with it; the files in the work tree are still there", e.Top)
}

// Advice says how to recover the rest.
func (e *GoneError) Advice() string {
	if e.Linked {
		return "resume it: warp recreates the work tree"
	}
	from := "git init, then git add and commit the files that are left"
	if e.Remote != "" {
		from = fmt.Sprintf("git clone %s into another folder, and move its .git here", e.Remote)
	}
	return fmt.Sprintf("%s; copies of your uncommitted and ignored files from before the run are in %s", from, e.Copies)
}

// goneError returns the error about the missing repository.
func (g *Guard) goneError() error {
	e := &GoneError{Top: g.Work.Top(), Copies: filepath.Join(g.Dir, "files"), Remote: g.Shared.url()}
	if g.person != nil {
		_, e.Linked = g.person.locate()
	}
	return e
}
