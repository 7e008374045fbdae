package quality

import (
	"cmp"
	"context"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/workqueue"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/prompt"
	"warp/internal/engine/step"
)

const (
	scan  = "scan"
	build = "build"
)

// atOnce is how many items an agent gets: several failing tests often have one cause.
const atOnce = 5

// shownDone is how many finished items an assessment sees.
const shownDone = 30

// brief is the content of a prompt.
type brief struct {
	Task, Progress string
	Finished       []string // found before and done, for an assessment
	Items          []workqueue.Item
	Another        string // why to take another approach
	Checks         []Gate
	Again          bool // it was started before
}

// prompt returns the prompt of a role.
func (b brief) prompt(role agent.Role) string {
	return prompt.Render(string(role), map[string]any{"Task": b.Task, "Progress": b.Progress, "Finished": b.Finished,
		"Items": b.Items, "Another": b.Another, "Checks": b.Checks, "Again": b.Again})
}

// ask runs the step of a phase, or returns its saved answer. A failed run also ends the iteration.
func (b *Loop) ask(ctx context.Context, name string, t agent.Task, tell brief) (a step.Answer, err error) {
	phase := strings.ToLower(string(b.queue().Loop.Phase))
	tell.Task, tell.Progress, tell.Checks = b.Task, b.Progress, b.check.gates
	t.Prompt, t.Model = tell.prompt(t.Role), b.Model
	a, err = b.Ask(ctx, b.known, step.Step{Name: name, Agent: b.Agent, Task: t, Scope: guard.Scope{Documents: []guard.Document{b.doc}}})
	if err != nil {
		return a, err
	}
	if a.Failed() {
		err = b.known.Keep(name, a)
	}
	b.Passed(phase + "_answered")
	return a, err
}

// assess has a read-only agent find work. An unreadable answer counts as a failure: it must not
// look like nothing being left.
func (b *Loop) assess(ctx context.Context) error {
	a, err := b.ask(ctx, scan, agent.Task{Role: agent.Scan, ReadOnly: true}, brief{Finished: b.queue().Finished(shownDone)})
	if err != nil || a.Failed() {
		return err
	}
	if a.Result == nil {
		a.End, a.Why = agent.Unusable, "the assessment has no readable result: "+cmp.Or(a.Invalid, "there is none")
		return b.known.Keep(scan, a)
	}
	result, err := lossless.Parse(a.Result)
	if err != nil {
		return err
	}
	return b.recordPhase(func(q *workqueue.Queue) workqueue.Event {
		b.addFound(q, workqueue.Findings(result))
		if q.Open() == 0 {
			return workqueue.NothingFound
		}
		return workqueue.WorkFound
	})
}

// build has an agent do the planned items, as far as people have left them there.
func (b *Loop) build(ctx context.Context) error {
	tell := brief{Items: b.queue().Next(atOnce), Again: b.m.Given != nil}
	if rec := b.queue().Loop.Record; rec.Iteration == rec.Changed { // none was evaluated since
		tell.Another = rec.ApproachAdvice(rec.Changed + 1)
	}
	_, answered := b.known.Answers[build]
	if !answered && len(tell.Items) > 0 {
		b.m.Given = workqueue.IDs(tell.Items)
		if err := b.saveMarker("build_marked"); err != nil {
			return err
		}
	}
	if answered || len(tell.Items) > 0 {
		a, err := b.ask(ctx, build, agent.Task{Role: agent.Iterate, Criteria: b.m.Given}, tell)
		if err != nil || a.Failed() {
			return err
		}
	}
	var found []workqueue.Found
	for _, title := range b.buildReport().Found {
		found = append(found, workqueue.Found{Title: title, Source: workqueue.FromAssess})
	}
	return b.recordPhase(func(q *workqueue.Queue) workqueue.Event {
		b.addFound(q, found)
		q.AskAgain() // whatever the agent wrote there
		return workqueue.Built
	})
}

// buildReport returns the building agent's report.
func (b *Loop) buildReport() session.Report { return session.ReportOf(b.known.Answers[build]) }
