package workflow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/quality"
	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/core/workflow"
	"warp/internal/core/workflow/supervise"
	"warp/internal/engine/agent"
)

// supervisor looks at a task from outside, and acts upon what it finds.
type supervisor struct{ *job }

// check looks at the task before it, after it, or where it is stuck. An objection
// that the task itself is to settle becomes what was wrong with the iteration.
func (j supervisor) check(ctx context.Context, when string, round int) error {
	sup := j.plan().Supervisor
	asked := map[string]bool{workflow.PreTask: sup.PreTask, workflow.PostTask: sup.PostTask, workflow.OnDemand: sup.OnDemand}
	if !sup.Enabled || !asked[when] {
		return nil
	}
	name := fmt.Sprintf("%s-%d", when, round)
	if _, done := j.mem.Facts[name]; done {
		j.why = j.mem.Facts[name+"-why"]
		return nil
	}
	conflicts, err := j.conflicts(ctx, when, round)
	if err != nil {
		return err
	}
	replans := 0
	if p := j.now().Pending(j.ID); p != nil {
		replans = p.Replans
	}
	if err := j.update("supervisor_checked", func(s *workflow.State) error {
		s.SupervisorChecked(workflow.Check{Type: when, Task: j.ID, Round: round, Conflicts: len(conflicts)}, j.Now())
		return nil
	}); err != nil {
		return err
	}
	ruling := supervise.Rule(conflicts, replans)
	j.tell(Note{Kind: Supervised, Task: j.ID, Text: fmt.Sprintf("%s: %s %s", when, ruling.Action, ruling.Conflict.Detail)})
	if ruling.Action == supervise.RePlan && replans >= sup.MaxRePlans {
		return j.pause(workflow.PausedReplans, fmt.Sprintf("task %s was planned anew %d times and there is still a conflict (%s, %s): %s; warp workflow resume allows as many plans again", j.ID, replans, ruling.Conflict.Type, ruling.Conflict.Severity, ruling.Conflict.Detail), j.ID)
	}
	if err := j.intervene(ctx, when, round, conflicts); err != nil {
		return err
	}
	j.mem.Facts[name+"-why"] = j.why
	return j.know(name, string(ruling.Action))
}

// intervene does what is to be done about conflicts, and records what came of
// each. Where the task has to go on anyway, it fixes the small ones, too.
func (j supervisor) intervene(ctx context.Context, when string, round int, conflicts []supervise.Conflict) error {
	var grave []supervise.Conflict
	for _, c := range conflicts {
		if supervise.Decide(c) == supervise.RePlan {
			grave = append(grave, c)
		}
	}
	plan := ""
	if len(grave) > 0 {
		var err error
		if plan, err = j.rePlan(ctx, when, round, grave); err != nil {
			return err
		}
	}
	for i, c := range conflicts {
		action, resolution := supervise.Decide(c), "nothing had to be done"
		switch {
		case action == supervise.RePlan:
			resolution = plan
		case action == supervise.AutoFix && when != workflow.PreTask && len(grave) > 0:
			action, resolution = supervise.Pass, "put before the task, which goes on"
			j.object(c)
		case action == supervise.AutoFix:
			applied, said, err := j.autoFix(ctx, fmt.Sprintf("fix-%s-%d-%d", when, round, i+1), when, round, c)
			if err != nil {
				return err
			}
			if resolution = said; !applied {
				action = supervise.Pass
			}
		}
		if err := j.update("intervened", func(s *workflow.State) error {
			s.Intervened(workflow.Intervention{CheckType: when, Task: j.ID, ConflictType: c.Type, Severity: cmp.Or(c.Severity, supervise.Low), Action: action,
				Resolution: resolution, Round: round, Detail: c.Detail, Files: c.Files}, j.Now())
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// conflicts are what the supervisor finds: the engine's own checks, which need no
// model, and what an agent says that sees the plan and the diff and changes
// nothing.
func (j supervisor) conflicts(ctx context.Context, when string, round int) ([]supervise.Conflict, error) {
	var list []supervise.Conflict
	diff := ""
	if when != workflow.PreTask {
		now, err := j.snapshot()
		if err != nil {
			return nil, err
		}
		if list, err = j.inspect(j.base(), now); err != nil {
			return nil, err
		}
		if diff, _, err = j.tree.Diff(ctx, j.base(), now, maxDiff); err != nil {
			return nil, err
		}
	}
	a, err := j.ask(ctx, question{name: fmt.Sprintf("supervise-%s-%d", when, round), kind: workflow.SupervisorAgent, round: round, Task: agent.Task{
		Role: agent.Supervise, Prompt: j.supervisePrompt(when, diff), ReadOnly: true}})
	if err != nil {
		return nil, err
	}
	var said struct {
		Conflicts []struct{ Type, Severity, Action, Resolution string }
	}
	if !a.Read(&said) {
		j.remark("the supervisor said nothing that could be read (%s %s); only the engine's own checks were made", a.End, a.Why)
		return list, nil
	}
	for _, c := range said.Conflicts {
		list = append(list, supervise.Conflict{Type: kindOf(c.Type), Severity: severityOf(c.Severity), Detail: text.Opening(c.Resolution), Proposed: supervise.Action(c.Action)})
	}
	return list, nil
}

// kindOf and severityOf take an agent's words for one of ours; what is none is
// taken seriously.
func kindOf(s string) supervise.Type {
	for _, t := range supervise.Types() {
		if strings.EqualFold(s, string(t)) {
			return t
		}
	}
	return supervise.Pattern
}

func severityOf(s string) supervise.Severity {
	if s == "" || strings.EqualFold(s, "none") || strings.EqualFold(s, "info") {
		return supervise.None
	}
	for _, v := range []supervise.Severity{supervise.Critical, supervise.High, supervise.Low} {
		if strings.EqualFold(s, string(v)) {
			return v
		}
	}
	return supervise.High
}

// inspect makes the engine's own checks of what was changed from one tree to
// another.
func (j supervisor) inspect(from, to string) ([]supervise.Conflict, error) {
	repo := j.tree.Repo()
	w := supervise.Work{Asked: j.Name + "\n" + briefing(j).text() + "\n" + strings.Join(j.asked(), "\n"), Claimed: j.Files}
	changes, err := repo.Changes(from, to)
	if err != nil {
		return nil, err
	}
	const most = 1 << 20
	for _, c := range changes {
		q := quality.Change{Path: c.Path, OldPath: c.OldPath}
		if c.Status != 'A' {
			q.Before, _ = repo.Content(from, cmp.Or(c.OldPath, c.Path), most) // what is no text is judged by its name
		}
		if c.Status != 'D' {
			q.After, _ = repo.Content(to, c.Path, most)
		}
		w.Changes = append(w.Changes, q)
		w.Secrets = append(w.Secrets, j.secrets(q)...)
	}
	if w.Paths, err = repo.Files(j.mem.Facts[factHead]); err != nil {
		return nil, err
	}
	w.Others = j.locks.Now().Others(j.ID, j.Now())
	return supervise.Inspect(w), nil
}

// secrets are those that a change has brought: not what was there before.
func (j supervisor) secrets(c quality.Change) []supervise.Secret {
	if j.Engine.Secrets == nil {
		return nil
	}
	was := j.Engine.Secrets(string(c.Before))
	for _, s := range j.Engine.Secrets(string(c.After)) {
		if !slices.Contains(was, s) {
			return []supervise.Secret{{Path: c.Path, Rule: "secret"}}
		}
	}
	return nil
}

func (j supervisor) supervisePrompt(when, diff string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "You supervise a workflow, «%s». You change nothing. This is the %s check of one of its tasks.\n\nCheck: %s\n%s\n%s\n", j.plan().Title, when, when, outline(j.Task), briefing(j).text())
	b.WriteString("The plan:\n" + untrusted.Fence(Plan(j.plan())) + "\n")
	if j.why != "" {
		b.WriteString("What is wrong with it at present:\n" + untrusted.Fence(j.why) + "\n")
	}
	if diff != "" {
		b.WriteString("What the task has changed so far, as data:\n" + untrusted.Fence(diff) + "\n")
	}
	b.WriteString(`Look for conflicts with the code base and with the rest of the plan: architecture, dependency, api, security, pattern. Name only what is really in the way; what is merely not to your taste is none. Severity low: can be fixed on the spot. High or critical: the plan must change. Give one JSON object as your result:
{"conflicts": [{"type": "architecture", "severity": "high", "action": "re_plan", "resolution": "what is wrong, and what to do instead"}]}
`)
	return b.String()
}
