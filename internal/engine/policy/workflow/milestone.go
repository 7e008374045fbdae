package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/forge"
	"warp/internal/turnstile/documents"
)

const (
	trackerTries = 3 // retries while the tracker is unreachable
	trackerPause = 2 * time.Second
	trackerLimit = 2 * time.Minute // the longest rate limit to wait for
)

// milestones files an issue for each finished phase, once. An unreachable tracker stops no work:
// the state remembers what is not filed, and the next milestone, the end or a resume files it.
type milestones struct{ run *run }

// finishPhase records that a phase is finished, and files its issue.
func (m milestones) finishPhase(ctx context.Context, i int) error {
	r := m.run
	name := r.plan().Phases[i].Name
	if err := r.record("milestone_reached", func(s *workflowstate.State) { s.Milestones.Reach(i, name, "", r.Now()) }); err != nil {
		return err
	}
	return m.fileMissing(ctx, trackerTries)
}

// fileMissing files the unfiled milestones, oldest first, with this many retries. It fails only if
// interrupted, or if the state cannot be written.
func (m milestones) fileMissing(ctx context.Context, tries int) error {
	for _, left := range m.run.now().Milestones.Unfiled() {
		if left.Phase >= len(m.run.plan().Phases) {
			continue // not one of ours
		}
		url, err := m.fileOne(ctx, left.Phase, tries)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m.run.remark("the milestone of phase %d is not filed yet: %v; the work continues", left.Phase+1, err)
			return m.run.record("milestone_unfiled", func(s *workflowstate.State) { s.Milestones.NoteUnfiled(left.Phase, m.run.Redact(reasonOf(err))) })
		}
		m.run.pass("milestone_filed")
		if err := m.run.record("milestone_filed", func(s *workflowstate.State) { s.Milestones.Reach(left.Phase, left.Name, url, m.run.Now()) }); err != nil {
			return err
		}
		m.run.tell(Note{Kind: Milestoned, Phase: left.Phase, Text: url})
	}
	return nil
}

// fileOne files one milestone, and waits while the tracker is briefly unreachable.
func (m milestones) fileOne(ctx context.Context, i, tries int) (url string, err error) {
	for n := 1; ; n++ {
		if url, err = m.createOnce(ctx, i); err == nil || ctx.Err() != nil {
			return url, err
		}
		until, passing := m.tryAgain(err, n)
		if !passing || n > tries {
			return "", err
		}
		if err := m.run.wait(ctx, until, "the tracker cannot be reached: "+err.Error()); err != nil {
			return "", err
		}
	}
}

// tryAgain returns when to retry for the n-th time; false if a retry would fail the same way.
func (m milestones) tryAgain(err error, n int) (time.Time, bool) {
	now := m.run.Now()
	until := now.Add(cmp.Or(m.run.Away, trackerPause) << n)
	var e *forge.Error
	switch {
	case !errors.As(err, &e):
		return until, true
	case e.Reason == forge.RateLimited && e.Reset.After(until):
		return e.Reset, e.Reset.Sub(now) <= trackerLimit
	}
	return until, e.Reason == forge.Unreachable || e.Reason == forge.RateLimited
}

func (m milestones) createOnce(ctx context.Context, i int) (url string, err error) {
	r, plan, s := m.run, m.run.plan(), m.run.now()
	phase := plan.Phases[i]
	done := slices.DeleteFunc(slices.Clone(s.CompletedTasks), func(d workflowstate.Done) bool { return d.Phase != i })
	if err := r.Tracker.MakeLabels(ctx, []forge.Label{{Name: "milestone", Description: "a finished phase of a workflow"}}); err != nil {
		return "", fmt.Errorf("creating the milestone label: %w", err)
	}
	issue, err := r.Tracker.Create(ctx, forge.NewIssue{
		Title:  r.Redact(fmt.Sprintf("Milestone: %s, phase %d: %s", plan.Title, phase.Number, phase.Name)),
		Body:   r.Redact(renderText("milestone", textValues{"Plan": plan, "Phase": phase, "Done": done})),
		Labels: []string{"milestone"}, Once: fmt.Sprintf("<!-- warp-workflow milestone %s %d -->", s.ID, i),
	})
	return cmp.Or(issue.URL, fmt.Sprintf("#%d", issue.Number)), err
}

// fileLeft files what a finished workflow left unfiled. If nothing else was asked for, that is what
// resuming does, and the state is returned.
func (m milestones) fileLeft(ctx context.Context, path string) (*workflowstate.State, error) {
	r := m.run
	if documents.RecogniseOld(r.Store) != nil {
		return nil, nil // opening reports what is wrong, here and below
	}
	v, err := r.state.Doc.Read()
	for _, n := range v.Notes {
		r.remark("%s", n)
	}
	if err != nil || !v.Doc.Orchestrator.Status.Ended() || len(v.Doc.Milestones.Unfiled()) == 0 {
		return nil, nil
	}
	doc, err := opening{r}.readPlan(v.Doc)
	if err != nil {
		return nil, nil
	}
	r.document.Store(doc)
	r.state.Set(v.Doc)
	r.state.Before = nil // no engine works on it
	defer func() { r.state.Before = r.markAtWork }()
	err = m.fileMissing(ctx, trackerTries)
	left := m.unfiled()
	if path != "" || err != nil {
		return nil, err
	}
	if left != "" {
		return nil, errors.New(left)
	}
	return r.now(), nil
}

// remarkUnfiled remarks what is not filed, and how to file it.
func (m milestones) remarkUnfiled() {
	if left := m.unfiled(); left != "" {
		m.run.remark("%s", left)
	}
}

func (m milestones) unfiled() string { return Unfiled(m.run.now()) }

// Unfiled describes a workflow's unfiled milestones, the reason, and how to file them; "" if there
// are none.
func Unfiled(s *workflowstate.State) string {
	var phases []string
	why := ""
	for _, left := range s.Milestones.Unfiled() {
		phases = append(phases, fmt.Sprint(left.Phase+1))
		why = cmp.Or(left.Unfiled, why)
	}
	if len(phases) == 0 {
		return ""
	}
	is, them := "is", "it"
	if len(phases) > 1 {
		is, them = "are", "them"
	}
	of := strings.TrimLeft(text.Count(len(phases), "phase"), "0123456789 ")
	return fmt.Sprintf("%s %s not filed (%s %s): %s; warp workflow resume files %s when the tracker is back",
		text.Count(len(phases), "milestone"), is, of, strings.Join(phases, ", "), text.Opening(cmp.Or(why, "it was interrupted")), them)
}

// reasonOf returns why a tracker refused, without the context.
func reasonOf(err error) string {
	if e, is := errors.AsType[*forge.Error](err); is {
		return e.Why
	}
	return err.Error()
}
