package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/name"
	"warp/internal/core/taskdoc"
	"warp/internal/core/workflow"
	"warp/internal/core/workflow/claim"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// Files of ours, under the store's folder.
const (
	folder   = "state/workflow"
	planFile = folder + "/plan.json" // the document as it is now, with what was planned anew
	// Archive is where the files of workflows that have ended are kept.
	Archive = "workflow-archive"
)

// Defects are what is wrong with a task document.
type Defects struct {
	File string
	List []taskdoc.Defect
}

func (d *Defects) Error() string {
	lines := make([]string, len(d.List))
	for i, x := range d.List {
		lines[i] = d.File + ":" + x.String()
	}
	return strings.Join(lines, "\n")
}

// Nothing says that there is no workflow to go on with.
type Nothing struct{}

func (*Nothing) Error() string {
	return "there is no unfinished workflow here: warp workflow run TASK.md begins one"
}

// Unfinished refuses to begin a workflow while another is under way.
type Unfinished struct{ Doc string }

func (u *Unfinished) Error() string {
	return fmt.Sprintf("the workflow of %s is unfinished here: warp workflow resume goes on with it, warp workflow abort ends it", u.Doc)
}

// begin makes the state of a workflow, or goes on with it.
func (r *run) begin(ctx context.Context, path string) error {
	if err := r.recognise(); err != nil {
		return err
	}
	v, err := r.file.Read()
	if err != nil && !durable.IsMissing(err) {
		return err
	}
	for _, n := range v.Notes {
		r.remark("%s", n)
	}
	unfinished := err == nil && !v.Doc.Orchestrator.Status.Ended()
	switch {
	case unfinished && path != "" && v.Doc.Orchestrator.TaskDoc != path:
		return &Unfinished{v.Doc.Orchestrator.TaskDoc}
	case unfinished:
		return r.goOn(v.Doc)
	case path == "":
		return &Nothing{}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	doc, defects := taskdoc.Parse(text)
	if len(defects) > 0 {
		return &Defects{path, defects}
	}
	if v.Doc != nil {
		if err := r.archive(v.Doc); err != nil {
			return err
		}
	}
	return r.create(ctx, path, doc)
}

// recognise refuses a state of the system before this one, which a store would
// take for damaged.
func (r *run) recognise() error {
	text, err := os.ReadFile(filepath.Join(r.Store.Dir(), workflow.File))
	if err != nil {
		return nil // it is looked at when it is opened
	}
	if v, err := lossless.Parse(text); err == nil {
		return workflow.Recognise(v)
	}
	return nil
}

// create begins a workflow: its branch, its plan, its state.
func (r *run) create(ctx context.Context, path string, doc *taskdoc.Document) error {
	branch, base, err := r.branch(ctx, doc)
	if err != nil {
		return err
	}
	r.doc = doc
	if err := r.savePlan(); err != nil {
		return err
	}
	p := workflow.Plan{
		ID: r.Now().UTC().Format("20060102T150405Z"), TaskDoc: path, Phases: len(doc.Phases), Supervised: doc.Supervisor.Enabled, Level: r.Level, Branch: branch, Base: base,
		Limits: workflow.Limits{Iterations: doc.Bounds.Iterations, MicroUSD: doc.Bounds.MicroUSD, Time: doc.Bounds.Time},
	}
	for _, t := range doc.Tasks() {
		p.Tasks = append(p.Tasks, workflow.Planned{Phase: t.Phase, Task: t.ID, Name: t.Name})
	}
	r.state = workflow.Begin(p, r.Now())
	if err := r.update("began", func(*workflow.State) error { return nil }); err != nil {
		return err
	}
	r.tell(Note{Kind: Began, Text: doc.Title})
	return nil
}

// branch is where the work is committed: at level 3 one of its own, at level 2
// the one that the user has made for it.
func (r *run) branch(ctx context.Context, doc *taskdoc.Document) (branch, base string, err error) {
	if err := r.Work.Identity(ctx); err != nil {
		return "", "", err
	}
	repo := r.Work.Repo()
	if base, err = repo.Head(); err != nil {
		return "", "", err
	}
	if base == "" {
		return "", "", errors.New("the repository has no commit yet: make a first one, then run the workflow")
	}
	main, err := repo.MainBranch()
	if err != nil {
		return "", "", err
	}
	on, err := repo.Branch()
	if err != nil {
		return "", "", err
	}
	if r.Level == 2 {
		if on == "" || on == main {
			return "", "", fmt.Errorf("level 2 works on a branch of yours, and %s is checked out: git switch -c my-branch, then run the workflow", orNone(on))
		}
		return on, base, nil
	}
	branch = "workflow/" + name.Slug(doc.Title, 50)
	if err := r.Work.Branch(ctx, branch, base); err != nil {
		return "", "", fmt.Errorf("making the branch %s: %w", branch, err)
	}
	return branch, base, nil
}

func orNone(branch string) string {
	if branch == "" {
		return "no branch"
	}
	return branch
}

// goOn takes an unfinished workflow over: agents that went with their engine are
// no more at work, and what git has is held against what the state says.
func (r *run) goOn(s *workflow.State) error {
	text, err := os.ReadFile(r.path(planFile))
	if err == nil {
		r.doc = &taskdoc.Document{}
		err = json.Unmarshal(text, r.doc)
	}
	if err != nil {
		return fmt.Errorf("reading the plan of the workflow: %w; warp workflow abort ends it", err)
	}
	r.state, r.had = s, s.SafetyBounds.Elapsed()
	if err := r.inStep(s); err != nil {
		return err
	}
	// Whoever holds the workflow's lease is the only one who claims files for it.
	if _, err := r.locks.Update(func(tx *durable.Tx[claim.Locks]) error {
		if tx.Doc == nil {
			tx.Doc = &claim.Locks{}
		}
		tx.Doc.Sweep(r.Now(), func(holder string) bool { return holder != r.holder() })
		return nil
	}); err != nil {
		return err
	}
	var gone []workflow.Agent
	err = r.update("resumed", func(s *workflow.State) error {
		gone = s.AgentsGone(func(a workflow.Agent) bool {
			stamp, alive := proc.Started(a.PID)
			return a.PID != r.PID && alive && (a.PIDStamp == "" || stamp == a.PIDStamp)
		})
		s.Resume()
		return nil
	})
	for _, d := range s.CompletedTasks {
		(&memory{run: r, task: d.Task}).forget()
		if err == nil && r.apartBefore(d.Task) {
			err = r.dismiss(context.Background(), &job{run: r, Task: taskdoc.Task{ID: d.Task}})
		}
	}
	for _, a := range gone {
		r.remark("the %s of task %s went with its engine; what it had not done is done again", a.Type, a.Task)
	}
	r.tell(Note{Kind: Began, Text: "it is gone on with"})
	return err
}

// inStep holds the state against git: the branch is the one, and has what the
// completed tasks committed.
func (r *run) inStep(s *workflow.State) error {
	repo := r.Work.Repo()
	on, err := repo.Branch()
	if err != nil {
		return err
	}
	if s.Branch != "" && on != s.Branch {
		return fmt.Errorf("the workflow works on %s, and %s is checked out: git switch %s, then warp workflow resume", s.Branch, orNone(on), s.Branch)
	}
	head, err := repo.Head()
	if err != nil {
		return err
	}
	for _, d := range s.CompletedTasks {
		if !git.IsHash(d.Commit) {
			continue
		}
		if in, err := repo.Descends(head, d.Commit); err != nil || !in {
			return fmt.Errorf("the state is out of step with git: the commit %.10s of task %s is not on %s; warp checkpoint list shows what can be gone back to", d.Commit, d.Task, s.Branch)
		}
	}
	return nil
}

// savePlan writes the plan as it is now.
func (r *run) savePlan() error {
	text, err := json.MarshalIndent(r.doc, "", "  ")
	if err != nil {
		return err
	}
	return r.write(planFile, append(text, '\n'))
}

// archive puts the files of a workflow that has ended out of the way of the next.
func (r *run) archive(s *workflow.State) error {
	id := s.ID
	if id == "" {
		id = strings.NewReplacer(":", "", "-", "").Replace(s.Orchestrator.StartTime)
	}
	to := r.path(Archive + "/" + id)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("keeping the workflow before this one: %w", err)
	}
	entries, err := os.ReadDir(r.Store.Dir())
	if err != nil {
		return err
	}
	for _, e := range entries {
		_, snapshot := workflow.SnapshotNumber(e.Name())
		if snapshot || e.Name() == workflow.CheckpointFile || e.Name() == "locks.json" {
			if err := os.Rename(r.path(e.Name()), filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
	}
	if err := os.Rename(r.path(folder), filepath.Join(to, "workflow")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(filepath.Join(to, workflow.File), workflow.Print(s, nil), 0o644); err != nil {
		return err
	}
	if _, err := r.file.Remove(); err != nil {
		return err
	}
	if _, err := r.locks.Remove(); err != nil {
		return err
	}
	r.remark("the workflow before this one is kept in %s", filepath.Join(".claude", Archive, id))
	return nil
}

// path is the full path of something in the store's folder.
func (e *Engine) path(name string) string {
	return filepath.Join(e.Store.Dir(), filepath.FromSlash(name))
}

// write replaces a file in the store's folder, durably.
func (e *Engine) write(name string, text []byte) error {
	return e.edit(name, func([]byte) ([]byte, error) { return text, nil })
}

func (e *Engine) edit(name string, fn func([]byte) ([]byte, error)) error {
	return e.Store.EditFile(filepath.ToSlash(filepath.Join(filepath.Base(e.Store.Dir()), name)), fn)
}
