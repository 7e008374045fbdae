package workflow

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

// homeOf names a workflow's work tree, which keeps it and the person's files apart.
func homeOf(id string) string { return "workflow-" + id }

// enterWorkTree opens or creates the workflow's work tree. Workflows of an earlier version use the
// person's.
func (r *run) enterWorkTree(ctx context.Context) (err error) {
	s := r.now()
	if s.Place == "" {
		r.home = r.person
		return nil
	}
	tree, err := r.places.Make(ctx, s.Place, s.Branch, s.Base)
	if err != nil {
		return err
	}
	r.home, err = r.newSite(tree, tree.Dir, "")
	r.pass("work_tree_made")
	return err
}

// leaveWorkTree removes the workflow's own work tree, or restores the earlier branch in the
// person's.
func (r *run) leaveWorkTree(ctx context.Context) {
	ctx, s := context.WithoutCancel(ctx), r.now()
	switch {
	case s.Place != "":
		if err := r.removeHome(ctx, false); err != nil {
			r.remark("%s", place.DescribeKept(r.Root, s.Place, err))
		}
	case s.BeganOn != "" && s.BeganOn != s.Branch: // an earlier version worked on the person's own branch
		if err := r.Work.Branch(ctx, s.BeganOn, ""); err != nil {
			r.remark("%s stays checked out: %v", s.Branch, err)
		}
	}
}

// removeHome removes the workflow's own work tree, with the guard's copies of it. Its branch stays.
func (r *run) removeHome(ctx context.Context, keep bool) error {
	s := r.now()
	if !r.places.Exists(s.Place) {
		return nil
	}
	if keep {
		if err := r.keepFiles(ctx, s.Place, "workflow/"+s.ID+"/left"); err != nil {
			return err
		}
	}
	copies := ""
	tree, err := gitwrite.Open(place.Path(r.Root, s.Place))
	if err == nil && hasModules(tree) {
		r.remark("the work tree %s is kept: it has submodules, whose commits may exist nowhere else; git worktree remove --force removes it", tree.Top())
		return nil
	}
	if err == nil && r.State != "" {
		if at, err := r.newSite(tree, tree.Dir, ""); err == nil {
			copies = at.guard.Dir
		}
	}
	if keep {
		err = r.places.Discard(ctx, s.Place, "")
	} else {
		err = r.places.Remove(ctx, s.Place, s.Branch, false)
	}
	if err == nil && copies != "" {
		_ = durable.RemoveFolder(copies) // of something removed on purpose
	}
	return err
}

// keepFiles keeps a work tree's files under a ref.
func (r *run) keepFiles(ctx context.Context, name, ref string) error {
	tree, err := gitwrite.Open(place.Path(r.Root, name))
	if err != nil {
		return err
	}
	repo := tree.Repo()
	hash, err := repo.Snapshot(".claude")
	head := ""
	if err == nil {
		head, err = repo.Head()
	}
	if err == nil {
		var out []byte
		out, err = repo.Must(ctx, git.Call{Args: []string{"commit-tree", "-p", head, "-m", "warp: files left by " + name, hash}, Env: identity})
		hash = strings.TrimSpace(string(out))
	}
	if err == nil {
		err = r.Work.Keep(ctx, ref, hash)
	}
	if err != nil {
		return fmt.Errorf("backing up the work tree %s: %w", name, err)
	}
	r.remark("the files of the previous workflow are kept as refs/warp/%s", ref)
	return nil
}

// identity is the author of commits made by keepFiles.
var identity = []string{"GIT_AUTHOR_NAME=warp", "GIT_AUTHOR_EMAIL=warp@localhost", "GIT_COMMITTER_NAME=warp", "GIT_COMMITTER_EMAIL=warp@localhost"}

// hasModules reports whether submodules were checked out in a work tree: their commits are in its
// part of git's folder, and would be lost with it.
func hasModules(tree gitwrite.Tree) bool {
	at, ok := git.LocateIn(tree.Dir, tree.Top())
	if !ok {
		return false
	}
	_, err := os.Lstat(filepath.Join(at.GitDir(), "modules"))
	return err == nil
}

// TreeOf opens a workflow's work tree. If it has ended and its own is gone, that is the person's,
// unless again is set to recreate it.
func TreeOf(ctx context.Context, root string, s *workflowstate.State, again bool) (gitwrite.Tree, error) {
	tree, err := gitwrite.Open(root)
	if err != nil || s == nil || s.Place == "" {
		return tree, err
	}
	places := &place.Places{Root: root, Work: tree}
	if !again && !places.Exists(s.Place) {
		return tree, nil
	}
	return places.Make(ctx, s.Place, s.Branch, s.Base)
}

// site is a work tree in which the workflow's agents work: the workflow's, or a task's own.
type site struct {
	run   *run
	task  string // "": the workflow's
	own   bool   // no person works in it
	tree  gitwrite.Tree
	dir   string // the project's folder in it
	guard *guard.Guard
	land  *land.Lander
	refs  []string // only the engine moves these; the first is the site's own branch
}

func (r *run) newSite(tree gitwrite.Tree, dir, task string) (*site, error) {
	o := guard.Options{Root: dir, Work: tree, Store: r.Store, State: r.State, Name: "workflow", Now: r.Now, Remark: r.remark, Shared: r.shared}
	own := tree.Top() != r.Work.Top()
	if own {
		o.Main, o.MainWork = r.Root, r.Work
		o.Store = r.Store.At(filepath.Join(dir, filepath.Base(r.Store.Dir())))
	}
	g, err := guard.New(o)
	if err != nil {
		return nil, err
	}
	l := &land.Lander{Work: tree, Guard: g, Leaks: r.Leaks, Remote: r.remote, Home: r.Store, Process: r.Process, Moved: r.Moved, Wait: r.wait, Remark: r.remark, Passed: r.Passed, Now: r.Now,
		Hooks: land.Hooks{Began: func() string { return r.now().Base }, CommandSetup: r.commandSetup()}}
	return &site{run: r, task: task, own: own, tree: tree, dir: dir, guard: g, land: l}, nil
}

// evidenceOf names a workflow in evidence, where it is no requirement.
func evidenceOf(id string) string { return "workflow " + id }

// scope returns what a run may do here. allows selects the paths it may change; nil: all.
func (s *site) scope(allows func(string) bool) guard.Scope {
	owner := strings.TrimSpace(evidenceOf(s.run.now().ID) + " " + s.task)
	documents := []guard.Document{s.run.state, s.run.locks}
	return guard.Scope{Owner: owner, Label: strings.ReplaceAll(owner, " ", "-"), Refs: s.refs, Allows: allows, Documents: documents}
}

// recover cleans up after a run whose engine was killed: what it left belongs to its task.
func (s *site) recover(ctx context.Context) error {
	sc := s.scope(nil)
	var found []guard.Finding
	sc.Report = func(f guard.Finding) { found = append(found, f) }
	_, err := s.guard.Recover(ctx, sc)
	return cmp.Or(err, s.intervened(found))
}

// intervened reports what an agent did and what was reverted, and records it as evidence.
func (s *site) intervened(found []guard.Finding) error {
	if len(found) == 0 {
		return nil
	}
	rows := make([]any, len(found))
	for i, f := range found {
		s.run.tell(Note{Kind: Intervened, Task: s.task, Text: f.Text})
		rows[i] = evidence.Intervened{Work: evidenceOf(s.run.now().ID), What: f.What, Text: s.run.Redact(f.Text), Kept: f.Kept}
	}
	return durable.RetryBusy(func() error { return s.run.Store.AppendSynced(event.Intervened, rows...) })
}

// snapshot returns the work tree as a git tree, without a person's private files.
func (s *site) snapshot() (string, error) {
	if s.guard == nil {
		return noTree, nil
	}
	return s.guard.Snapshot()
}

// noTree represents the work tree without a repository.
const noTree = "none"

// changed returns the present work tree, and the paths in which it differs from a tree.
func (s *site) changed(since string) (now string, paths []string, err error) {
	if now, err = s.snapshot(); err != nil || now == since {
		return now, nil, err
	}
	changes, err := s.tree.Repo().Trees().Changes(since, now)
	return now, git.Paths(changes), err
}
