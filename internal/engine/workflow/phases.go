package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/engine/checkpoint"
	"warp/internal/engine/forge"
)

// phases takes the workflow from its plan through its phases.
type phases struct{ *run }

// planning shows the plan, and at level 2 has it approved.
func (r phases) planning(ctx context.Context) error {
	plan := Plan(r.plan())
	r.tell(Note{Kind: Planned, Text: plan})
	if r.now().Level == 2 && !r.Yes {
		if r.Approve == nil {
			return r.pause(workflow.PausedPlan, "the plan waits for its approval: warp workflow resume --yes approves it", "")
		}
		ok, err := r.Approve(ctx, plan)
		if stopped := ctx.Err(); stopped != nil {
			return stopped
		}
		if err != nil {
			return r.pause(workflow.PausedPlan, "the plan waits for its approval: "+err.Error()+"; warp workflow resume --yes approves it", "")
		}
		if !ok {
			if err := r.update("plan_rejected", func(s *workflow.State) error {
				return s.Fire(workflow.PlanRejected, "a person rejected the plan", "", r.Now())
			}); err != nil {
				return err
			}
			r.leave(ctx)
			return nil
		}
	}
	return r.update("plan_approved", func(s *workflow.State) error { return s.Fire(workflow.PlanApproved, "", "", r.Now()) })
}

// Plan is what a document comes to, for people.
func Plan(d *taskdoc.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d.Title)
	fmt.Fprintf(&b, "at most %d iterations a task, %s, %s\n", d.Bounds.Iterations, workflow.Dollars(d.Bounds.MicroUSD), d.Bounds.Time)
	for _, p := range d.Phases {
		fmt.Fprintf(&b, "Phase %d: %s\n", p.Number, p.Name)
		for _, t := range p.Tasks {
			fmt.Fprintf(&b, "  %s %s", t.ID, t.Name)
			if len(t.DependsOn) > 0 {
				fmt.Fprintf(&b, " (after %s)", strings.Join(t.DependsOn, ", "))
			}
			b.WriteString("\n")
			for _, c := range t.Criteria {
				how := "a verifier judges"
				if c.Run != "" {
					how = c.Run
				}
				fmt.Fprintf(&b, "      - %s [%s]\n", c.Text, how)
			}
		}
	}
	return b.String()
}

// executing goes through the phases.
func (r phases) executing(ctx context.Context) error {
	for i, p := range r.plan().Phases {
		if err := r.phase(ctx, i, p); err != nil {
			return err
		}
	}
	return r.update("phases_done", func(s *workflow.State) error { return s.Fire(workflow.PhasesDone, "", "", r.Now()) })
}

// phase runs the tasks of a phase, side by side where they have nothing to do
// with each other, and reaches its milestone.
func (r phases) phase(ctx context.Context, i int, p taskdoc.Phase) error {
	if r.reached(i) {
		return nil
	}
	if err := r.update("phase_began", func(s *workflow.State) error { s.PhaseBegun(i); return nil }); err != nil {
		return err
	}
	r.tell(Note{Kind: Phased, Phase: i, Text: p.Name})
	if err := r.tasks(ctx, i, r.batch); err != nil {
		return err
	}
	if _, err := r.checkpoint(ctx, i, fmt.Sprintf("phase-%d", p.Number)); err != nil {
		return err
	}
	return r.milestone(ctx, i)
}

// tasks runs what is ready of a phase, batch after batch, until nothing is left.
func (r phases) tasks(ctx context.Context, phase int, batch func(context.Context, []taskdoc.Task) error) error {
	for {
		if err := r.withinBounds(""); err != nil {
			return err
		}
		list := r.open(phase)
		if len(list) == 0 {
			return nil
		}
		if err := batch(ctx, list); err != nil {
			return err
		}
	}
}

func (r phases) reached(phase int) bool {
	return slices.ContainsFunc(r.now().Milestones, func(m workflow.Milestone) bool { return m.Phase == phase })
}

// open are the tasks that may begin now, at most as many as may run at once.
func (r phases) open(phase int) []taskdoc.Task {
	s := r.now()
	done := map[string]bool{}
	for _, d := range s.CompletedTasks {
		done[d.Task] = true
	}
	list := slices.DeleteFunc(taskdoc.Ready(r.plan(), done, nil), func(t taskdoc.Task) bool { return t.Phase != phase })
	return list[:min(len(list), max(1, r.Parallel))]
}

func (r phases) checkpoint(ctx context.Context, phase int, task string) (int, error) {
	n, err := r.keeper().Make(ctx, r.update, phase, task)
	if err != nil {
		return 0, fmt.Errorf("making a checkpoint before %s: %w", task, err)
	}
	r.passed("checkpoint_made")
	r.tell(Note{Kind: Checkpoint, Phase: phase, Task: task, Text: fmt.Sprintf("checkpoint %d", n)})
	return n, nil
}

func (r *run) keeper() checkpoint.Keeper {
	return checkpoint.Keeper{Store: r.Store, Work: r.Work, Now: r.Now, PID: r.Process.PID, Host: r.Process.Host, Passed: r.Engine.Passed}
}

// milestone files the issue of a finished phase.
func (r phases) milestone(ctx context.Context, phase int) error {
	p := r.plan().Phases[phase]
	s := r.now()
	var b strings.Builder
	fmt.Fprintf(&b, "Phase %d (%s) of «%s» is finished.\n\n", p.Number, p.Name, r.plan().Title)
	for _, t := range p.Tasks {
		for _, d := range s.CompletedTasks {
			if d.Task == t.ID {
				fmt.Fprintf(&b, "- [x] %s %s: iterations: %d, %s, %s, %s\n", d.Task, d.Name, d.Iterations, d.TimeElapsed, d.Cost, text.Hash(d.Commit))
			}
		}
	}
	if err := r.Tracker.MakeLabels(ctx, []forge.Label{{Name: "milestone", Description: "a finished phase of a workflow"}}); err != nil {
		return fmt.Errorf("making the label of milestones: %w", err)
	}
	issue, err := r.Tracker.Create(ctx, forge.NewIssue{
		Title: r.Redact(fmt.Sprintf("Milestone: %s, phase %d: %s", r.plan().Title, p.Number, p.Name)), Body: r.Redact(b.String()),
		Labels: []string{"milestone"}, Once: fmt.Sprintf("warp-workflow milestone %s %d", s.ID, phase),
	})
	if err != nil {
		return fmt.Errorf("filing the milestone of phase %d: %w", p.Number, err)
	}
	r.passed("milestone_filed")
	url := issue.URL
	if url == "" {
		url = fmt.Sprintf("#%d", issue.Number)
	}
	if err := r.update("milestone_reached", func(s *workflow.State) error { s.MilestoneReached(phase, p.Name, url, r.Now()); return nil }); err != nil {
		return err
	}
	r.tell(Note{Kind: Milestoned, Phase: phase, Text: url})
	return nil
}
