package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/checkpoint"
	"warp/internal/engine/judge"
)

// phases takes the workflow from its plan through its phases.
type phases struct{ run *run }

// planning shows the plan, and asks for approval at level 2.
func (p phases) planning(ctx context.Context) error {
	r := p.run
	if err := p.checkReady(ctx); err != nil {
		return err
	}
	plan := Plan(r.plan())
	r.tell(Note{Kind: Planned, Text: plan})
	if r.now().Level != 2 || r.Yes {
		return r.fire("plan_approved", workflowstate.PlanApproved, "")
	}
	if r.Approve == nil {
		return r.pause(workflowstate.PausedPlan, "", "the plan waits for approval: warp workflow resume --yes approves it")
	}
	ok, err := p.approve(ctx, plan)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return r.pause(workflowstate.PausedPlan, "", "the plan waits for approval: %v; warp workflow resume --yes approves it", err)
	case ok:
		return r.fire("plan_approved", workflowstate.PlanApproved, "")
	}
	if err := r.fire("plan_rejected", workflowstate.PlanRejected, "a person rejected the plan"); err != nil {
		return err
	}
	r.leaveWorkTree(ctx)
	return nil
}

// approve asks a person, and shows that it waits for them.
func (p phases) approve(ctx context.Context, plan string) (bool, error) {
	q := question{kind: workflowstate.SupervisorAgent}
	if err := q.registerAgent(p.run, "plan"); err != nil {
		return false, err
	}
	q.noteWaiting(p.run, "plan", agent.Wait{Why: "a person's approval of the plan"})
	ok, err := p.run.Approve(ctx, plan)
	return ok, errors.Join(err, p.run.record("agent_ended", func(s *workflowstate.State) { s.ActiveAgents.End(q.kind, "plan") }))
}

// checkReady pauses for a person if the tests and verification commands could prove nothing.
func (p phases) checkReady(ctx context.Context) error {
	r := p.run
	var commands []judge.Command
	for _, line := range append([]string{r.Tests}, r.plan().Checks()...) {
		if line != "" {
			c := r.command(line)
			c.Tests = line == r.Tests
			commands = append(commands, c)
		}
	}
	site := judge.Site{Dir: r.Root, Rooms: r.Rooms, Tree: r.now().Base, Base: r.now().Base}
	err := site.CheckReady(ctx, commands...)
	if unready := (*judge.UnreadyError)(nil); errors.As(err, &unready) {
		return r.pause(workflowstate.PausedPerson, "", "%v, then warp workflow resume", unready)
	}
	return err
}

// executing runs the phases.
func (p phases) executing(ctx context.Context) error {
	for i, phase := range p.run.plan().Phases {
		if err := p.runPhase(ctx, i, phase); err != nil {
			return err
		}
	}
	return p.run.fire("phases_done", workflowstate.PhasesDone, "")
}

// runPhase runs a phase's tasks, in parallel where they are independent, and reaches its milestone.
func (p phases) runPhase(ctx context.Context, i int, phase taskdoc.Phase) error {
	if slices.ContainsFunc(p.run.now().Milestones, func(m workflowstate.Milestone) bool { return m.Phase == i }) {
		return nil
	}
	if err := p.run.record("phase_began", func(s *workflowstate.State) { s.PhaseBegun(i) }); err != nil {
		return err
	}
	p.run.tell(Note{Kind: Phased, Phase: i, Text: phase.Name})
	if err := p.runReadyTasks(ctx, i, p.runBatch); err != nil {
		return err
	}
	if _, err := p.checkpoint(ctx, i, fmt.Sprintf("phase-%d", phase.Number)); err != nil {
		return err
	}
	return milestones(p).finishPhase(ctx, i)
}

// runReadyTasks runs a phase's ready tasks, batch after batch, until none is left.
func (p phases) runReadyTasks(ctx context.Context, phase int, batch func(context.Context, []taskdoc.Task) error) error {
	for {
		if err := p.run.withinBounds(""); err != nil {
			return err
		}
		ready := taskdoc.Ready(p.run.plan(), p.run.now().CompletedTasks.IDs(), nil)
		list := slices.DeleteFunc(ready, func(t taskdoc.Task) bool { return t.Phase != phase })
		if len(list) == 0 {
			return nil
		}
		if err := batch(ctx, list[:min(len(list), max(1, p.run.Parallel))]); err != nil {
			return err
		}
	}
}

// runBatch runs independent tasks: a single one in the workflow's work tree, several in parallel in
// separate work trees, which are merged in the order of the tasks.
func (p phases) runBatch(ctx context.Context, list []taskdoc.Task) error {
	points := make([]int, len(list))
	for i, t := range list {
		at := t.ID
		if round := p.run.now().PendingTasks.Progress(t.ID).Round; round > 0 { // a redone task needs a checkpoint of its present start
			at = fmt.Sprintf("%s-%d", t.ID, round+1)
		}
		n, err := p.checkpoint(ctx, t.Phase, at)
		if err != nil {
			return err
		}
		points[i] = n
	}
	if at := p.findLostTask(list, points); at >= 0 {
		list, points = list[at:at+1], points[at:at+1]
	}
	p.run.bounds.Share(len(list))
	if len(list) > 1 || p.run.places.Exists(placeOf(p.run.now().ID, list[0].ID)) {
		return sides(p).runAll(ctx, list, points)
	}
	j, err := p.run.beginTask(list[0], points[0])
	if err != nil {
		return err
	}
	met, err := loop{j}.iterate(ctx)
	if err != nil {
		return err
	}
	commit, files, err := j.commitTask(ctx)
	if err != nil {
		return err
	}
	return j.recordDone(met, commit, files)
}

// findLostTask finds a task that worked in the workflow's own tree and whose memory is lost. Its
// changes are there, so it continues there, alone.
func (p phases) findLostTask(list []taskdoc.Task, points []int) int {
	for i, t := range list {
		m, err := p.run.memory(t.ID, points[i])
		if err != nil || p.run.places.Exists(placeOf(p.run.now().ID, t.ID)) {
			continue
		}
		if j := (&job{site: p.run.home, Task: t, mem: m}); j.isLost() {
			return i
		}
	}
	return -1
}

func (p phases) checkpoint(ctx context.Context, phase int, task string) (int, error) {
	n, err := p.run.keeper().Make(ctx, p.run.state.Update, phase, task)
	if err != nil {
		return 0, fmt.Errorf("making a checkpoint before %s: %w", task, err)
	}
	p.run.pass("checkpoint_made")
	p.run.tell(Note{Kind: Checkpoint, Phase: phase, Task: task, Text: fmt.Sprintf("checkpoint %d", n)})
	return n, nil
}

func (r *run) keeper() checkpoint.Keeper {
	return checkpoint.Keeper{Store: r.Store, Work: r.home.tree, Now: r.Now, PID: r.Process.PID, Host: r.Process.Host, Passed: r.Passed}
}
