package workflow

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/place"
	"warp/internal/sys/git"
)

// EditedError reports that an unfinished workflow's document has changed, and that a person has to
// say which version counts.
type EditedError struct{ File, Diff string }

func (e *EditedError) Error() string {
	return fmt.Sprintf("%s has changed since the workflow began:\n%s\n--replan plans the rest again from it, --as-planned keeps the old plan", e.File, e.Diff)
}

// editedDocument is a document that a person changed during its workflow.
type editedDocument struct {
	doc  *taskdoc.Document
	text string // hash of its git blob
}

// reopen continues an unfinished workflow whose document is given: as planned, or planned again if
// the document has changed and a person wants that.
func (o opening) reopen(ctx context.Context, s *workflowstate.State) error {
	r, path := o.run, s.Orchestrator.TaskDoc
	file, err := durable.ReadPlain(path)
	if err != nil {
		return err
	}
	diff, known, err := o.diffText(ctx, s, file)
	if err != nil {
		return err
	}
	if r.AsPlanned || diff == "" && (known || !r.Replan) { // a requested new plan is made even if the old text is unknown
		return o.resume(ctx, s, nil)
	}
	doc, defects := taskdoc.Parse(file)
	if len(defects) > 0 {
		return &taskdoc.Defects{File: path, List: defects}
	}
	replan := r.Replan
	if !replan {
		if r.Choose == nil {
			return &EditedError{path, diff}
		}
		if replan, err = r.Choose(ctx, diff); err != nil {
			return err
		}
	}
	if !replan {
		return o.resume(ctx, s, nil)
	}
	text, err := o.keepText(ctx, s.ID, file)
	if err != nil {
		return err
	}
	return o.resume(ctx, s, &editedDocument{doc, text})
}

// noteEdited remarks that the document has changed although the old plan continues.
func (o opening) noteEdited(ctx context.Context, s *workflowstate.State) {
	path := s.Orchestrator.TaskDoc
	file, err := durable.ReadPlain(path)
	if err != nil {
		return // the document is not needed any more
	}
	if diff, _, err := o.diffText(ctx, s, file); err == nil && diff != "" {
		o.run.remark("%s has changed since the workflow began; continuing with the old plan (warp workflow run %[1]s --replan plans the rest again)", path)
	}
}

// keepText keeps the document's text in git, so that later changes can be shown.
func (o opening) keepText(ctx context.Context, id string, file []byte) (string, error) {
	hash, err := o.run.Work.Root().Put(ctx, "blob", file)
	if err != nil {
		return "", err
	}
	return hash, o.run.Work.Keep(ctx, "document/workflow-"+strings.TrimSuffix(id, "Z"), hash)
}

// diffText returns how the document differs from the planned one; "" if it does not. known is false
// if the planned text is lost, or an earlier version did not keep it.
func (o opening) diffText(ctx context.Context, s *workflowstate.State, file []byte) (diff string, known bool, err error) {
	repo := o.run.Work.Repo()
	if s.Text == "" {
		return "", false, nil
	}
	was, err := repo.Must(ctx, git.Call{Args: []string{"cat-file", "blob", s.Text}})
	if gone := (*git.Failure)(nil); errors.As(err, &gone) {
		return "", false, nil
	}
	if err != nil || bytes.Equal(was, file) {
		return "", true, err
	}
	now, err := o.run.Work.Root().Put(ctx, "blob", file)
	if err != nil {
		return "", true, err
	}
	out, err := repo.Must(ctx, git.Call{Args: []string{"diff", "--no-color", "--no-ext-diff", "--no-textconv", "-U1", s.Text, now}})
	_, hunks, _ := strings.Cut(string(out), "\n@@")
	return strings.TrimSpace("@@" + hunks), true, err
}

// takeOver makes the edited document the plan. Finished tasks whose text has changed are done
// again.
func (e *editedDocument) takeOver(s *workflowstate.State, was *taskdoc.Document) error {
	if e == nil {
		return nil
	}
	s.Document, s.Text = lossless.Encode(e.doc, nil), e.text
	before := map[string]taskdoc.Task{}
	for _, t := range was.Tasks() {
		before[t.ID] = t
	}
	now := map[string]taskdoc.Task{}
	for _, t := range e.doc.Tasks() {
		now[t.ID] = t
	}
	return s.PlanAnew(planOf(e.doc), func(task string) bool { return !taskdoc.SameTask(before[task], now[task]) })
}

// clearGone saves the uncommitted work of tasks that the document no longer has, and moves it out
// of the way. It runs before the state has the new plan, so that a killed engine repeats it.
func (o opening) clearGone(ctx context.Context, e *editedDocument) error {
	if e == nil {
		return nil
	}
	r, s := o.run, o.run.now()
	wanted := map[string]bool{}
	for _, t := range e.doc.Tasks() {
		wanted[t.ID] = true
	}
	for _, p := range s.PendingTasks {
		if p.Began == "" || wanted[p.Task] {
			continue
		}
		if r.places.Exists(placeOf(s.ID, p.Task)) {
			if err := r.keepFiles(ctx, placeOf(s.ID, p.Task), "workflow/"+s.ID+"/"+p.Task+"-left"); err != nil {
				return err
			}
			if err := r.places.Discard(ctx, placeOf(s.ID, p.Task), branchOf(s.ID, p.Task)); err != nil {
				return err
			}
			continue
		}
		if !r.home.own {
			r.remark("task %s is no longer in the document; its uncommitted work stays in your work tree", p.Task)
			continue
		}
		if err := r.keepFiles(ctx, s.Place, "workflow/"+s.ID+"/"+p.Task+"-left"); err != nil {
			return err
		}
		head, err := r.home.tree.Repo().Head()
		if err != nil {
			return err
		}
		bare, err := r.home.guard.SnapshotOf(ctx, head)
		if err != nil {
			return err
		}
		now, err := r.home.snapshot()
		if err == nil {
			err = place.Fill(ctx, r.home.tree, now, bare)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
