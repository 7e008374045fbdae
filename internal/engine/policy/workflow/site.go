package workflow

import (
	"cmp"
	"context"
	"path/filepath"
	"strings"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
)

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
