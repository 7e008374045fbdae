package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/testintegrity"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/supervise"
	"warp/internal/engine/agent"
	"warp/internal/engine/leak"
	"warp/internal/engine/prompt"
)

// supervisor reviews a task from outside, and acts on what it finds.
type supervisor struct{ *job }

// check reviews the task before it starts, after it ends, or when it is stuck. Objections that the
// task has to resolve are added to why.
func (v supervisor) check(ctx context.Context, when string, round int) error {
	sup := v.run.plan().Supervisor
	wanted := map[string]bool{workflowstate.PreTask: sup.PreTask, workflowstate.PostTask: sup.PostTask, workflowstate.OnDemand: sup.OnDemand}
	if !sup.Enabled || !wanted[when] || when == workflowstate.PreTask && sup.PostTask && v.run.plan().IsTrivial(v.Task) {
		return nil
	}
	name := fmt.Sprintf("%s-%d", when, round)
	if _, done := v.mem.Facts[name]; done {
		v.why = v.mem.Facts[name+"-why"]
		return nil
	}
	conflicts, err := v.conflicts(ctx, when, round)
	if err != nil {
		return err
	}
	replans := v.run.now().PendingTasks.Progress(v.ID).Replans
	if err := v.run.record("supervisor_checked", func(s *workflowstate.State) {
		s.SupervisorChecked(workflowstate.Check{Type: when, Task: v.ID, Round: round, Conflicts: len(conflicts)}, v.run.Now())
	}); err != nil {
		return err
	}
	ruling := supervise.Rule(conflicts)
	c := ruling.Conflict
	v.run.tell(Note{Kind: Supervised, Task: v.ID, Text: fmt.Sprintf("%s: %s %s", when, ruling.Action, c.Detail)})
	if ruling.Action == supervise.RePlan && replans >= sup.MaxRePlans {
		return v.run.pause(workflowstate.PausedReplans, v.ID,
			"task %s was re-planned %s and still has a conflict (%s, %s): %s; warp workflow resume tries that often again",
			v.ID, text.Count(replans, "time"), c.Type, c.Severity, c.Detail)
	}
	if err := v.intervene(ctx, when, round, conflicts); err != nil {
		return err
	}
	v.mem.Facts[name+"-why"] = v.why
	return v.setFact(name, string(ruling.Action))
}

// intervene acts on conflicts, and records each result. If the task has to continue anyway, it also
// gets the small ones.
func (v supervisor) intervene(ctx context.Context, when string, round int, conflicts []supervise.Conflict) error {
	grave := slices.DeleteFunc(slices.Clone(conflicts), func(c supervise.Conflict) bool { return supervise.Decide(c) != supervise.RePlan })
	plan := ""
	if len(grave) > 0 {
		var err error
		if plan, err = v.rePlan(ctx, when, round, grave); err != nil {
			return err
		}
	}
	for i, c := range conflicts {
		action, resolution := supervise.Decide(c), "nothing had to be done"
		switch {
		case action == supervise.RePlan:
			resolution = plan
		case action == supervise.AutoFix && when != workflowstate.PreTask && len(grave) > 0:
			action, resolution = supervise.Pass, "passed to the task, which continues"
			v.addObjection(c)
		case action == supervise.AutoFix:
			var err error
			if resolution, err = v.autoFix(ctx, fmt.Sprintf("fix-%s-%d-%d", when, round, i+1), when, round, c); err != nil {
				return err
			}
			if !strings.HasPrefix(resolution, fixed) {
				action = supervise.Pass
			}
		}
		if err := v.run.record("intervened", func(s *workflowstate.State) {
			s.Intervened(workflowstate.Intervention{CheckType: when, Task: v.ID, ConflictType: c.Type, Severity: cmp.Or(c.Severity, supervise.Low), Action: action,
				Resolution: resolution, Round: round, Detail: c.Detail, Files: c.Files}, v.run.Now())
		}); err != nil {
			return err
		}
	}
	return nil
}

// addObjection adds a conflict to the task's objections.
func (v supervisor) addObjection(c supervise.Conflict) {
	v.why = strings.TrimSpace(v.why + "\nThe supervisor objects (" + string(c.Type) + "): " + c.Detail)
}

const fixed = "fixed "

// autoFix has a small conflict fixed, verified and committed separately. It reverts a fix that
// breaks something, or after which the engine's own check still finds the conflict. For a stuck
// task there is no commit yet to separate it from: then it becomes part of the task.
func (v supervisor) autoFix(ctx context.Context, name, when string, round int, c supervise.Conflict) (resolution string, err error) {
	fix := change{what: "the fix of a conflict (" + text.Opening(c.Detail) + ")", guards: append(taskdoc.CommandsOf(v.Criteria), v.run.plan().Checks()...)}
	fix.question = question{name: name, kind: workflowstate.SupervisorAgent, round: round, Task: agent.Task{
		Role: agent.Fix, Prompt: prompt.Render("code", v.run.aboutTests(textValues{"Task": v.Task, "Conflict": c}))}}
	if len(c.Files) > 0 {
		fix.allows = v.allows(c.Files...)
	}
	if when == workflowstate.PostTask { // commit the task's work first, so that the two stay apart
		if _, _, err := v.commitTask(ctx); err != nil {
			return "", err
		}
		fix.judged = taskdoc.Judged(v.Criteria)
	}
	fix.holds = func() (string, error) {
		_, found, err := v.inspect(ctx)
		if slices.ContainsFunc(found, func(o supervise.Conflict) bool { return o.Type == c.Type && o.Detail == c.Detail }) {
			return "the conflict is still there: " + c.Detail, err
		}
		return "", err
	}
	fix.keep = func() (string, error) {
		if when == workflowstate.OnDemand {
			now, err := v.snapshot()
			if err != nil || now == v.mem.Facts[name+treeOf] {
				return "nothing had to be changed", err
			}
			return fixed + "as a part of the task: " + c.Detail, nil
		}
		hash, err := v.commitFix(ctx, name, "fix", c.Detail)
		if err != nil || hash == "" {
			return "nothing had to be changed", err
		}
		if when == workflowstate.PreTask { // it is not part of the task's work
			err = v.beginHere(ctx)
		}
		return fixed + "in " + text.Hash(hash) + ": " + c.Detail, err
	}
	return verifier(v).tryChange(ctx, fix)
}

// conflicts returns what the supervisor finds: by the engine's own checks, which need no model, and
// by an agent that sees the plan and the diff and changes nothing.
func (v supervisor) conflicts(ctx context.Context, when string, round int) ([]supervise.Conflict, error) {
	var list []supervise.Conflict
	diff, cut := "", false
	if when != workflowstate.PreTask {
		now, found, err := v.inspect(ctx)
		if err != nil {
			return nil, err
		}
		list = found
		if diff, cut, err = v.tree.Diff(ctx, v.base(), now, maxDiff); err != nil {
			return nil, err
		}
	}
	plan := v.run.plan()
	var said struct {
		Conflicts []struct{ Type, Severity, Action, Resolution string }
	}
	a, err := v.askJudge(ctx, question{name: fmt.Sprintf("supervise-%s-%d", when, round), kind: workflowstate.SupervisorAgent, round: round, Task: agent.Task{
		Role: agent.Supervise, ReadOnly: true, Prompt: prompt.Render("supervise", textValues{
			"Plan": plan, "Outline": Plan(plan), "Task": v.Task, "Wanted": v.description(), "When": when, "Why": v.why, "Diff": diff, "Cut": cut})}})
	if err != nil {
		return nil, err
	}
	a.Read(&said)
	for _, c := range said.Conflicts {
		list = append(list, supervise.Conflict{
			Type: supervise.TypeOf(c.Type), Severity: supervise.SeverityOf(c.Severity), Detail: text.Opening(c.Resolution), Proposed: supervise.Action(c.Action)})
	}
	return list, nil
}

// inspect runs the engine's own checks on the job's present changes.
func (v supervisor) inspect(ctx context.Context) (now string, found []supervise.Conflict, err error) {
	if now, err = v.snapshot(); err != nil {
		return "", nil, err
	}
	repo, from := v.tree.Repo(), v.base()
	changes, err := repo.Trees().Changes(from, now)
	if err != nil {
		return "", nil, err
	}
	words := append([]string{v.Name, v.description()}, criteriaTexts(v.Task, v.run.plan())...)
	w := supervise.Work{Asked: strings.Join(words, "\n"), Claimed: v.Files, Others: v.run.locks.Now().Others(v.ID, v.run.Now())}
	const most = 1 << 20
	for _, c := range changes {
		q := testintegrity.Change{Path: c.Path, OldPath: c.OldPath}
		if c.Status != 'A' {
			q.Before, _ = repo.Trees().Content(from, cmp.Or(c.OldPath, c.Path), most) // binary files are judged by their names
		}
		if c.Status != 'D' {
			q.After, _ = repo.Trees().Content(now, c.Path, most)
		}
		w.Changes = append(w.Changes, q)
	}
	if w.Secrets, err = v.secrets(ctx, from, now); err != nil {
		return "", nil, err
	}
	if w.Paths, err = repo.Trees().Files(v.mem.Facts[factHead]); err != nil {
		return "", nil, err
	}
	return now, supervise.Inspect(w), nil
}

// secrets returns the secrets that a change introduced.
func (v supervisor) secrets(ctx context.Context, from, to string) (list []supervise.Secret, err error) {
	err = v.run.Leaks.Check(ctx, v.tree.Repo(), from, to, v.run.remark)
	var found *leak.FoundError
	if !errors.As(err, &found) {
		return nil, err
	}
	for _, h := range found.Hits {
		list = append(list, supervise.Secret{Path: h.File, Rule: h.Rule + " (" + h.ID() + ")"})
	}
	return list, nil
}
