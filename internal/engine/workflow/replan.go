package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/core/workflow"
	"warp/internal/core/workflow/claim"
	"warp/internal/core/workflow/supervise"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// rePlan has the tasks that are not done rewritten, with a reason, once for all
// grave conflicts of a check. After a task, the task itself goes on until they are
// gone; a plan that changes nothing has them put before the task.
func (j supervisor) rePlan(ctx context.Context, when string, round int, grave []supervise.Conflict) (string, error) {
	name := fmt.Sprintf("re-plan-%s-%d", when, round)
	a, err := j.ask(ctx, question{name: name, kind: workflow.SupervisorAgent, round: round, Task: agent.Task{Role: agent.Plan, Prompt: j.rePlanPrompt(grave), ReadOnly: true}})
	if err != nil {
		return "", err
	}
	resolution, err := j.mem.Fact(name, func() (string, error) { return j.rewrite(a, grave) })
	if when != workflow.PreTask || !strings.HasPrefix(resolution, planned) {
		for _, c := range grave {
			j.object(c)
		}
	}
	return resolution, err
}

// object puts a conflict before the task.
func (j supervisor) object(c supervise.Conflict) {
	j.why = strings.TrimSpace(j.why + "\nThe supervisor objects (" + string(c.Type) + "): " + c.Detail)
}

const planned = "planned anew: "

// rewrite takes over what an agent has planned anew, as far as it may.
func (j supervisor) rewrite(a step.Answer, grave []supervise.Conflict) (string, error) {
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
	if a.End != agent.Done || json.Unmarshal([]byte(answer), &plan) != nil || len(plan.Tasks) == 0 {
		return "the plan stays as it is, as no other could be read; the conflict was put before the task", nil
	}
	j.rewriting.Lock() // another task may be about to do the same
	defer j.rewriting.Unlock()
	next, defects := taskdoc.Rewrite(j.plan(), j.fixedTasks(), plan.Tasks)
	if len(defects) > 0 {
		return fmt.Sprintf("the plan stays as it is, as the other is not sound (%s); the conflict was put before the task", defects[0]), nil
	}
	all := next.Tasks()
	own := all[slices.IndexFunc(all, func(t taskdoc.Task) bool { return t.ID == j.ID })]
	err := j.hold().try(own.Files) // before it is the plan
	if c := (*claim.Conflict)(nil); errors.As(err, &c) {
		return fmt.Sprintf("the plan stays as it is, as in the other %v; the conflict was put before the task", c), nil
	}
	if err != nil {
		return "", err
	}
	var names, details []string
	for _, c := range grave {
		details = append(details, c.Detail)
	}
	err = j.update("re_planned", func(s *workflow.State) error {
		names = nil
		for _, t := range all {
			i := slices.IndexFunc(plan.Tasks, func(r taskdoc.Revision) bool { return r.Task == t.ID })
			if i < 0 {
				continue
			}
			names = append(names, t.ID)
			s.Replanned(workflow.Planned{Phase: t.Phase, Task: t.ID, Name: t.Name}, t.Description, text.Opening(strings.Join(details, "; ")))
		}
		var err error
		s.Document, err = encoded(next)
		return err
	})
	if err == nil {
		j.setPlan(next)
		j.Task = own
	}
	return planned + strings.Join(names, ", "), err
}

// fixedTasks are those that a new plan leaves alone: they are done, or another's
// agent is at them.
func (j supervisor) fixedTasks() map[string]bool {
	fixed := map[string]bool{}
	for _, d := range j.now().CompletedTasks {
		fixed[d.Task] = true
	}
	for _, p := range j.now().PendingTasks {
		if p.Began != "" && p.Task != j.ID {
			fixed[p.Task] = true
		}
	}
	return fixed
}

func (j supervisor) rePlanPrompt(grave []supervise.Conflict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "WORKFLOW RE-PLAN\nYou plan anew what is left of a workflow, «%s». You change no file.\n\n", j.plan().Title)
	for _, c := range grave {
		fmt.Fprintf(&b, "The conflict (%s, %s): %s\n", c.Type, c.Severity, untrusted.Line(c.Detail))
	}
	b.WriteString("\nTasks that are not done:\n")
	s := j.now()
	for _, t := range taskdoc.Order(j.plan()) {
		if s.IsDone(t.ID) {
			continue
		}
		fmt.Fprintf(&b, "\n%s%s\n", outline(t), t.Description)
	}
	b.WriteString("\nRewrite only what the conflict touches. Keep ids; commands that check criteria stay. Give one JSON object as your result, whose member approach is this JSON as a text:\n")
	b.WriteString(`{"tasks": [{"task": "1.2", "name": "…", "description": "…", "files": ["…"]}]}` + "\n")
	return b.String()
}
