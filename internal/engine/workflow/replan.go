package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/untrusted"
	"warp/internal/core/workflow"
	"warp/internal/core/workflow/supervise"
	"warp/internal/engine/agent"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// rePlan has the tasks that are not done rewritten, with a reason. After a task,
// the task itself goes on until the conflict is gone.
func (j *job) rePlan(ctx context.Context, when string, round int, c supervise.Conflict) (string, error) {
	step := fmt.Sprintf("re-plan-%s-%d-%s", when, round, c.Type)
	if when != workflow.PreTask {
		j.why = strings.TrimSpace(j.why + "\nThe supervisor objects (" + string(c.Type) + "): " + c.Detail)
	}
	a, err := j.mem.ask(ctx, step, workflow.SupervisorAgent, round, "", agent.Task{Role: agent.Plan, Prompt: j.rePlanPrompt(c), Dir: j.dir, ReadOnly: true})
	if err != nil {
		return "", err
	}
	return j.mem.fact(step, func() (string, error) { return j.rewrite(a, c) })
}

// rewrite takes over what an agent has planned anew, as far as it may.
func (j *job) rewrite(a answer, c supervise.Conflict) (string, error) {
	var said struct {
		Approach string `json:"approach"`
	}
	var plan struct {
		Tasks []taskdoc.Revision `json:"tasks"`
	}
	text := a.Text
	if a.read(&said) && said.Approach != "" {
		text = said.Approach
	}
	if json.Unmarshal([]byte(text), &plan) != nil || len(plan.Tasks) == 0 {
		return "the plan stays as it is, as no other could be read; the conflict was put before the task", nil
	}
	j.run.mu.Lock()
	fixed := map[string]bool{}
	for _, d := range j.state.CompletedTasks {
		fixed[d.Task] = true
	}
	for _, p := range j.state.PendingTasks {
		if p.Began != "" && p.Task != j.ID {
			fixed[p.Task] = true // it is at work
		}
	}
	next, defects := taskdoc.Rewrite(j.doc, fixed, plan.Tasks)
	if len(defects) == 0 {
		j.run.doc = next
	}
	j.run.mu.Unlock()
	if len(defects) > 0 {
		return fmt.Sprintf("the plan stays as it is, as the other is not sound (%s); the conflict was put before the task", defects[0]), nil
	}
	if err := j.savePlan(); err != nil {
		return "", err
	}
	var names []string
	if err := j.update("re_planned", func(s *workflow.State) error {
		for _, t := range plan.Tasks {
			if !fixed[t.Task] && s.Replanned(t.Task, t.Description, opening(c.Detail)) {
				names = append(names, t.Task)
			}
		}
		return nil
	}); err != nil {
		return "", err
	}
	for _, t := range next.Tasks() {
		if t.ID == j.ID {
			j.Task = t
		}
	}
	return "planned anew: " + strings.Join(names, ", "), nil
}

func (j *job) rePlanPrompt(c supervise.Conflict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "WORKFLOW RE-PLAN\nYou plan anew what is left of a workflow, «%s». You change no file.\n\nThe conflict (%s, %s): %s\n\nTasks that are not done:\n", j.plan().Title, c.Type, c.Severity, untrusted.Visible(c.Detail))
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

// autoFix has a small conflict mended apart from the task: it is verified, and
// committed by itself. What does not hold is taken back.
func (j *job) autoFix(ctx context.Context, when string, round int, c supervise.Conflict) (string, error) {
	step := fmt.Sprintf("fix-%s-%d-%s", when, round, c.Type)
	if when == workflow.PostTask { // what the task did is committed first, so that the two stay apart
		if _, _, err := j.commit(ctx); err != nil {
			return "", err
		}
	}
	before, err := j.mem.fact(step+"-tree", func() (string, error) { return snapshot(j.tree) })
	if err != nil {
		return "", err
	}
	a, err := j.mem.ask(ctx, step, workflow.SupervisorAgent, round, "", agent.Task{Role: agent.Fix, Dir: j.dir, Prompt: fmt.Sprintf(
		"A supervisor found a small conflict (%s) in the work on this task. Mend it, and nothing else.\n\n%s\nThe conflict:\n%s\nFiles: %s\nDo not commit. Give one JSON object as your result: {\"summary\": \"what you did\"}\n",
		c.Type, outline(j.Task), untrusted.Fence(c.Detail), strings.Join(c.Files, ", "))})
	if err != nil {
		return "", err
	}
	return j.mem.fact(step, func() (string, error) {
		if a.End != agent.Done {
			return "not mended: the agent's run came to nothing (" + string(a.End) + ")", j.takeBack(ctx, before)
		}
		if when == workflow.PostTask {
			for _, k := range j.Criteria {
				if k.Run == "" {
					continue
				}
				if said, ok, err := j.command(ctx, j.dir, k.Run); err != nil || !ok {
					if err == nil {
						err = j.takeBack(ctx, before)
					}
					return "mended, but then this failed, so it was taken back: " + opening(said), err
				}
			}
		}
		hash, _, err := j.commitAs(ctx, before, fmt.Sprintf("fix: %s\n\n%s: %s\n", opening(c.Detail), trailerFix, j.trailer(step)))
		if err != nil {
			return "", err
		}
		if hash == "" {
			return "nothing had to be changed", nil
		}
		return "mended in " + short(hash), nil
	})
}

const (
	trailerTask = "Warp-Task"
	trailerFix  = "Warp-Fix"
)

func (j *job) trailer(step string) string { return j.now().ID + "/" + j.ID + "/" + step }

// takeBack makes the work tree what it was.
func (j *job) takeBack(ctx context.Context, tree string) error {
	now, err := snapshot(j.tree)
	if err != nil {
		return err
	}
	return restore(ctx, j.tree, now, tree)
}

// restore makes of a work tree, which is as now says, what a tree has.
func restore(ctx context.Context, t work.Tree, now, tree string) error {
	changes, err := t.Repo().Changes(now, tree)
	if err != nil || len(changes) == 0 {
		return err
	}
	return t.Restore(ctx, tree, paths(changes), true)
}

func paths(changes []git.Change) (list []string) {
	for _, c := range changes {
		if list = append(list, c.Path); c.OldPath != "" {
			list = append(list, c.OldPath)
		}
	}
	return list
}
