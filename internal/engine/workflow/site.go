package workflow

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/engine/land"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// site is a work tree in which agents of the workflow work: the person's, or one
// of a task's own.
type site struct {
	*run
	task  string // "": the person's work tree
	tree  work.Tree
	dir   string // the project's folder in it
	guard *guard.Guard
	land  *land.Lander
	refs  []string // that only the engine moves; the first is the site's own branch
}

func (r *run) newSite(tree work.Tree, dir, task string) (*site, error) {
	s := &site{run: r, task: task, tree: tree, dir: dir}
	o := guard.Options{Root: dir, Store: r.Store, State: r.State, Name: "workflow", Now: r.Now, Remark: r.remark, Shared: r.shared}
	if task != "" {
		o.Main = r.Root
		o.Store = durable.New(durable.Config{Dir: filepath.Join(dir, filepath.Base(r.Store.Dir())), Now: r.Now, PID: r.Process.PID})
	}
	var err error
	if s.guard, err = guard.New(o); err != nil {
		return nil, err
	}
	s.land = &land.Lander{Work: tree, Guard: s.guard, Remote: r.remote, Home: r.Store, Process: r.Process, Wait: r.wait, Remark: r.remark, Passed: r.Engine.Passed, Now: r.Now}
	return s, nil
}

// apart tells whether the site is a task's own work tree.
func (s *site) apart() bool { return s.task != "" }

// owner names whose the work is that is done here.
func (s *site) owner() string {
	return strings.TrimSpace(s.work() + " " + s.task)
}

// work names the workflow in rows of evidence, where it is no requirement.
func (r *run) work() string { return "workflow " + r.now().ID }

// scope is what a run may do here. Allows tells the paths that it may change; nil:
// all.
func (s *site) scope(allows func(string) bool) guard.Scope {
	return guard.Scope{Owner: s.owner(), Label: strings.ReplaceAll(s.owner(), " ", "-"), Refs: s.refs, Allows: allows, Documents: []guard.Document{s.state, s.locks}}
}

// recover looks after a run whose engine was killed: what it left is its task's.
func (s *site) recover(ctx context.Context) error {
	sc := s.scope(nil)
	var found []guard.Finding
	sc.Report = func(f guard.Finding) { found = append(found, f) }
	_, err := s.guard.Recover(ctx, sc)
	if kept := s.intervened(found); err == nil {
		err = kept
	}
	return err
}

// intervened tells what an agent did and what was taken back, and keeps it as
// evidence.
func (s *site) intervened(found []guard.Finding) error {
	rows := make([]any, len(found))
	for i, f := range found {
		s.tell(Note{Kind: Intervened, Task: s.task, Text: f.Text})
		rows[i] = evidence.Intervened{Work: s.work(), What: f.What, Text: s.Redact(f.Text), Kept: f.Kept}
	}
	if len(rows) == 0 {
		return nil
	}
	return step.Patiently(func() error { return s.Store.AppendSynced(event.Intervened, rows...) })
}

// record keeps the row of a run.
func (s *site) record(ran step.Ran) error {
	s.count(ran.Result.Usage, 1)
	if err := step.Patiently(func() error { return s.Store.AppendSynced(event.Run, ran.Evidence(s.Redact)) }); err != nil {
		return err
	}
	return s.intervened(ran.Findings)
}

// snapshot is the work tree as a tree of git's, without what is a person's alone.
func (s *site) snapshot() (string, error) {
	if s.guard == nil {
		return noTree, nil
	}
	return s.guard.Snapshot()
}

// noTree stands for the work tree where there is no repository.
const noTree = "none"

// restore makes of the work tree what a tree has.
func (s *site) restore(ctx context.Context, tree string) error {
	now, err := s.snapshot()
	if err != nil {
		return err
	}
	changes, err := s.tree.Repo().Changes(now, tree)
	if err != nil || len(changes) == 0 {
		return err
	}
	if err := s.tree.Restore(ctx, tree, git.Paths(changes), true); err != nil {
		return err
	}
	return s.guard.Settle(ctx)
}

// wait waits for the network.
func (r *Engine) wait(ctx context.Context, until time.Time, why string) error {
	if r.Tell != nil {
		r.Tell(Note{At: r.Now(), Kind: Remark, Text: "waiting: " + why})
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(until.Sub(r.Now())):
		return nil
	}
}
