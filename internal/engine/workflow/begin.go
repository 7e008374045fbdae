package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/taskdoc"
	"warp/internal/core/workflow"
	"warp/internal/durable"
	"warp/internal/engine/checkpoint"
	"warp/internal/sys/proc"
)

// Files of ours, under the store's folder.
const (
	// Folder holds what is known of the workflow that is under way.
	Folder = "state/workflow"
	// planFile is the document as it is now, with what was planned anew.
	planFile = Folder + "/plan.json"
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

// Migrated refuses to go on with a workflow of the system before this one.
type Migrated struct{ Doc string }

func (m *Migrated) Error() string {
	return fmt.Sprintf("the workflow here was converted from the old format, which does not say what its steps were: warp workflow run %s begins the rest of the work", m.Doc)
}

// begin makes the state of a workflow, or goes on with it.
func (r *run) begin(ctx context.Context, path string) error {
	if err := r.recognise(); err != nil {
		return err
	}
	if n, under, err := r.keeper().Interrupted(); err != nil || under {
		return errors.Join(err, &checkpoint.InterruptedError{N: n})
	}
	v, err := r.file.Read()
	if err != nil && !durable.IsMissing(err) {
		return err
	}
	for _, n := range v.Notes {
		r.remark("%s", n)
	}
	unfinished := err == nil && !v.Doc.Orchestrator.Status.Ended()
	if unfinished && v.Doc.Paused != nil && v.Doc.Paused.Reason == workflow.PausedMigrated {
		if unfinished = false; path == "" { // what its steps were is not known
			return &Migrated{v.Doc.Orchestrator.TaskDoc}
		}
	}
	switch {
	case unfinished && path != "" && v.Doc.Orchestrator.TaskDoc != path:
		return &Unfinished{v.Doc.Orchestrator.TaskDoc}
	case unfinished:
		return r.goOn(ctx, v.Doc)
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
		if err := r.archive(ctx, v.Doc); err != nil {
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
	if err := r.savePlan(doc); err != nil {
		return err
	}
	p := workflow.Plan{
		ID: r.freshID(), TaskDoc: path, Phases: len(doc.Phases), Supervised: doc.Supervisor.Enabled, Level: r.Level, Branch: branch, Base: base,
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

// goOn takes an unfinished workflow over: agents that went with their engine are
// no more at work, and what git has is held against what the state says.
func (r *run) goOn(ctx context.Context, s *workflow.State) error {
	text, err := r.keptPlan(ctx)
	if err == nil {
		r.doc = &taskdoc.Document{}
		err = json.Unmarshal(text, r.doc)
	}
	if err != nil {
		return fmt.Errorf("reading the plan of the workflow: %w; warp workflow abort ends it", err)
	}
	r.state, r.had = s, s.SafetyBounds.Elapsed()
	moved, err := r.inStep(s)
	if err == nil {
		err = r.free()
	}
	if err != nil {
		return err
	}
	var gone []workflow.Agent
	err = r.update("resumed", func(s *workflow.State) error {
		for task, commit := range moved {
			s.CommitIs(task, commit)
		}
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
			err = r.dismiss(ctx, d.Task)
		}
	}
	for _, a := range gone {
		r.remark("the %s of task %s went with its engine; what it had not done is done again", a.Type, a.Task)
	}
	r.tell(Note{Kind: Began, Text: "it is gone on with"})
	return err
}

// savePlan writes the plan.
func (r *run) savePlan(doc *taskdoc.Document) error {
	text, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	return r.write(planFile, append(text, '\n'))
}

// keepPlan keeps the plan as it was at a checkpoint.
func (r *run) keepPlan(n int) error {
	text, err := os.ReadFile(r.path(planFile))
	if err != nil {
		return err
	}
	return durable.Jot(r.path(planAt(n)), text)
}

func planAt(n int) string { return fmt.Sprintf("%s/plan-%03d.json", Folder, n) }

// keptPlan is the plan to go on with: the newest, or, after somebody went back to
// a checkpoint, the one of then.
func (r *run) keptPlan(ctx context.Context) ([]byte, error) {
	points, err := r.keeper().List(ctx)
	if err != nil {
		return nil, err
	}
	newest, left := 0, 0
	for _, p := range points {
		if p.Left {
			left = max(left, p.N)
		} else {
			newest = max(newest, p.N)
		}
	}
	if left > newest && newest > 0 {
		return os.ReadFile(r.path(planAt(newest)))
	}
	return os.ReadFile(r.path(planFile))
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
