package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/checkpoint"
	"warp/internal/turnstile/documents"
)

// Preview describes what a run of a document would do.
type Preview struct {
	Branch string `json:"branch"`
	Target string `json:"merge_into"`
	Level  int    `json:"level"`
	Tests  string `json:"tests,omitempty"`
	// Resumes means that it continues an unfinished run, of which the Done tasks are finished.
	Resumes bool                 `json:"resumes,omitempty"`
	Done    []string             `json:"done,omitempty"`
	Limits  workflowstate.Limits `json:"-"`
}

// Preview returns what Run would do with a document; it fails with the same error if Run would
// refuse it. It starts nothing.
func (e *Engine) Preview(ctx context.Context, path string, doc *taskdoc.Document) (Preview, error) {
	r := e.newRun()
	o := opening{r}
	if err := documents.RecogniseOld(e.Store); err != nil {
		return Preview{}, err
	}
	if n, under, err := (checkpoint.Keeper{Store: r.Store}).Interrupted(); err != nil || under {
		return Preview{}, errors.Join(err, &checkpoint.InterruptedError{N: n})
	}
	s := documents.PeekWorkflow(r.Store)
	unfinished, err := findUnfinished(s, path)
	if err != nil {
		return Preview{}, err
	}
	p := Preview{Level: r.Level, Limits: planOf(doc).Limits}
	base := ""
	if unfinished {
		base = s.Base
		err = o.previewResumed(ctx, s, path, &p)
	} else {
		p.Branch, base, err = o.nameBranch(ctx, doc)
		p.Target = r.target
		if err == nil && r.InPlace {
			_, err = o.findCheckedOut()
		}
	}
	if err != nil {
		return Preview{}, err
	}
	p.Limits = workflowstate.Limits{Iterations: cmp.Or(r.Total.Iterations, p.Limits.Iterations), MicroUSD: cmp.Or(r.Total.MicroUSD, p.Limits.MicroUSD),
		Time: cmp.Or(r.Total.Time, p.Limits.Time)}
	if p.Tests = r.Tests; r.Find {
		p.Tests = r.findTests(base)
	}
	return p, nil
}

// previewResumed fills in what is known of an unfinished run of the document.
func (o opening) previewResumed(ctx context.Context, s *workflowstate.State, path string, p *Preview) (err error) {
	if p.Target, err = target(o).ofWorkflow(ctx, s); err != nil {
		return err
	}
	p.Resumes, p.Branch, p.Level, p.Limits = true, s.Branch, s.Level, s.SafetyBounds.Limits()
	for _, d := range s.CompletedTasks {
		p.Done = append(p.Done, d.Task)
	}
	file, err := durable.ReadPlain(path)
	if err != nil {
		return err
	}
	diff, _, err := o.diffText(ctx, s, file)
	if err == nil && diff != "" && !o.run.AsPlanned && !o.run.Replan {
		err = &EditedError{path, diff}
	}
	if err != nil {
		return err
	}
	return s.Allow(o.run.Total)
}

// findUnfinished reports whether to continue the present workflow. The error says why that is
// impossible, or why no other can start.
func findUnfinished(s *workflowstate.State, path string) (bool, error) {
	switch {
	case s == nil || s.Orchestrator.Status.Ended():
		return false, nil
	case s.Paused != nil && s.Paused.Reason == workflowstate.PausedMigrated && path == "":
		return false, &NothingError{fmt.Sprintf("the workflow here was converted from the old format, which has no steps: "+
			"warp workflow run %s starts the rest of the work", s.Orchestrator.TaskDoc)}
	case s.Paused != nil && s.Paused.Reason == workflowstate.PausedMigrated:
		return false, nil
	case path != "" && s.Orchestrator.TaskDoc != path:
		return true, fmt.Errorf("the workflow of %s is unfinished here: warp workflow resume continues it, warp workflow abort ends it", s.Orchestrator.TaskDoc)
	}
	return true, nil
}

// findCheckedOut returns the branch checked out in the person's work tree.
func (o opening) findCheckedOut() (string, error) {
	on, err := o.run.Work.Repo().Branch()
	if err == nil && on == "" {
		err = errors.New("no branch is checked out here to return to at the end: git switch BRANCH first, or run without --in-place")
	}
	return on, err
}
