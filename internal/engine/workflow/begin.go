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
	// oldPlan is where the plan was kept before it was a part of the state.
	oldPlan = Folder + "/plan.json"
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

// opening makes the state of a workflow, or takes it up again.
type opening struct{ *run }

func (r *opening) begin(ctx context.Context, path string) error {
	if err := r.recognise(); err != nil {
		return err
	}
	if n, under, err := r.keeper().Interrupted(); err != nil || under {
		return errors.Join(err, &checkpoint.InterruptedError{N: n})
	}
	v, err := r.state.Doc.Read()
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
func (r *opening) recognise() error {
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
func (r *opening) create(ctx context.Context, path string, doc *taskdoc.Document) error {
	on, err := r.Work.Repo().Branch()
	if err != nil {
		return err
	}
	branch, base, err := r.branch(ctx, doc)
	if err != nil {
		return err
	}
	if strings.HasPrefix(on, "workflow/") {
		on = r.target // a workflow that ended before its end left the tree there
	}
	p := workflow.Plan{
		ID: r.freshID(), TaskDoc: path, Phases: len(doc.Phases), Supervised: doc.Supervisor.Enabled, Level: r.Level, Branch: branch, Base: base, BeganOn: on,
		Limits: workflow.Limits{Iterations: doc.Bounds.Iterations, MicroUSD: doc.Bounds.MicroUSD, Time: doc.Bounds.Time},
	}
	for _, t := range doc.Tasks() {
		p.Tasks = append(p.Tasks, workflow.Planned{Phase: t.Phase, Task: t.ID, Name: t.Name})
	}
	s := workflow.Begin(p, r.Now())
	if s.Document, err = encoded(doc); err != nil {
		return err
	}
	r.setPlan(doc)
	r.state.Set(s)
	if err := r.update("began", func(s *workflow.State) error { return s.Allow(r.Total) }); err != nil {
		return err
	}
	r.tell(Note{Kind: Began, Text: doc.Title})
	return nil
}

// goOn takes an unfinished workflow over: agents that went with their engine are
// no more at work, and what git has is held against what the state says.
func (r *opening) goOn(ctx context.Context, s *workflow.State) error {
	doc, err := r.readPlan(s)
	if err != nil {
		return fmt.Errorf("reading the plan of the workflow: %w; warp workflow abort ends it", err)
	}
	if r.target, err = r.mainBranch(); err != nil {
		return err
	}
	r.setPlan(doc)
	r.state.Set(s)
	r.had = s.SafetyBounds.Elapsed()
	moved, err := r.inStep(s)
	if err == nil {
		err = r.freeClaims()
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
			return a.PID != r.Process.PID && alive && (a.PIDStamp == "" || stamp == a.PIDStamp)
		})
		s.Resume()
		if s.Document, err = encoded(doc); err != nil {
			return err
		}
		return s.Allow(r.Total)
	})
	for _, d := range s.CompletedTasks {
		if m, _, bad := r.memory(d.Task, 0); bad == nil {
			m.Forget()
		}
		if err == nil && r.places.Exists(r.placeName(d.Task)) {
			err = (&sides{r.run}).dismiss(ctx, d.Task)
		}
	}
	for _, a := range gone {
		r.remark("the %s of task %s went with its engine; what it had not done is done again", a.Type, a.Task)
	}
	r.tell(Note{Kind: Began, Text: "resumed"})
	return err
}

// readPlan reads the plan that the state has. One that an older version began has
// it in a file.
func (r *opening) readPlan(s *workflow.State) (*taskdoc.Document, error) {
	doc := &taskdoc.Document{}
	if s.Document != nil {
		return doc, json.Unmarshal(lossless.AppendCompact(nil, s.Document), doc)
	}
	text, err := os.ReadFile(r.path(oldPlan))
	if err == nil {
		err = json.Unmarshal(text, doc)
	}
	return doc, err
}

// encoded is a plan as the state has it.
func encoded(doc *taskdoc.Document) (*lossless.Value, error) {
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	return lossless.Parse(text)
}

// plan is the document as it is now.
func (r *run) plan() *taskdoc.Document {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.document
}

func (r *run) setPlan(doc *taskdoc.Document) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.document = doc
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
