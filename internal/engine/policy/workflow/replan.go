package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/core/workflowstate/supervise"
	"warp/internal/engine/agent"
	"warp/internal/engine/prompt"
	"warp/internal/engine/step"
)

// rePlan has the unfinished tasks rewritten, once for all grave conflicts of a check. After a task,
// the task itself continues until they are gone; if the plan does not change, the conflicts become
// objections to the task.
func (v supervisor) rePlan(ctx context.Context, when string, round int, grave []supervise.Conflict) (string, error) {
	name := fmt.Sprintf("re-plan-%s-%d", when, round)
	plan, s := v.run.plan(), v.run.now()
	left := slices.DeleteFunc(taskdoc.Order(plan), func(t taskdoc.Task) bool { return s.CompletedTasks.Has(t.ID) })
	a, err := v.ask(ctx, question{name: name, kind: workflowstate.SupervisorAgent, round: round, Task: agent.Task{
		Role: agent.Plan, ReadOnly: true, Prompt: prompt.Render("re-plan", textValues{"Plan": plan, "Conflicts": grave, "Tasks": left})}})
	if err != nil {
		return "", err
	}
	resolution, err := v.mem.Fact(name, func() (string, error) { return v.rewrite(a, grave) })
	if when != workflowstate.PreTask || !strings.HasPrefix(resolution, planned) {
		for _, c := range grave {
			v.addObjection(c)
		}
	}
	return resolution, err
}

const planned = "re-planned: "

// rewrite applies an agent's new plan, as far as allowed.
func (v supervisor) rewrite(a step.Answer, grave []supervise.Conflict) (string, error) {
	const stays = "the plan is unchanged (%s); the task must resolve the conflict"
	revisions := revisionsIn(a)
	switch {
	case revisions == nil:
		return fmt.Sprintf(stays, "no new plan could be read"), nil
	case len(revisions) == 0:
		return fmt.Sprintf(stays, "the planner sees nothing to change"), nil
	}
	v.run.rewriting.Lock() // another task may be about to do the same
	defer v.run.rewriting.Unlock()
	next, defects := taskdoc.Rewrite(v.run.plan(), v.run.now().Untouchable(v.ID), revisions)
	if len(defects) > 0 {
		return fmt.Sprintf(stays, fmt.Sprintf("the new plan is invalid: %s", defects[0])), nil
	}
	all := next.Tasks()
	own := all[slices.IndexFunc(all, func(t taskdoc.Task) bool { return t.ID == v.ID })]
	err := v.hold.claim(own.Files) // before it becomes the plan
	if c := (*claim.Conflict)(nil); errors.As(err, &c) {
		return fmt.Sprintf(stays, "in the other "+c.Error()), nil
	}
	if err != nil {
		return "", err
	}
	var names, details []string
	for _, c := range grave {
		details = append(details, c.Detail)
	}
	revised := slices.DeleteFunc(all, func(t taskdoc.Task) bool {
		return !slices.ContainsFunc(revisions, func(r taskdoc.Revision) bool { return r.Task == t.ID })
	})
	for _, t := range revised {
		names = append(names, t.ID)
	}
	err = v.run.record("re_planned", func(s *workflowstate.State) {
		for _, t := range revised {
			s.Replanned(workflowstate.Planned{Phase: t.Phase, Task: t.ID, Name: t.Name}, t.Description, text.Opening(strings.Join(details, "; ")))
		}
		s.Document = lossless.Encode(next, nil)
	})
	if err == nil {
		v.run.document.Store(next)
		v.Task = own
	}
	return planned + strings.Join(names, ", "), err
}

// revisionsIn returns the revisions in an agent's answer, from its result or its text; nil if
// unreadable.
func revisionsIn(a step.Answer) []taskdoc.Revision {
	var said struct {
		Approach string `json:"approach"`
	}
	var plan struct {
		Tasks []taskdoc.Revision `json:"tasks"`
	}
	answer := a.Text
	if a.Read(&said) && said.Approach != "" {
		answer = said.Approach
	}
	if a.End != agent.Done || json.Unmarshal([]byte(answer), &plan) != nil {
		return nil
	}
	return plan.Tasks
}
