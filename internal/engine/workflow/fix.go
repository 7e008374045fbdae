package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/core/workflow"
	"warp/internal/core/workflow/supervise"
	"warp/internal/engine/agent"
	"warp/internal/sys/git"
	"warp/internal/sys/work"
)

// autoFix has a small conflict mended: it is verified, and committed by itself.
// What does not hold is taken back. Where a task is stuck there is nothing yet
// that it could be committed apart from: then it is a part of the task.
func (j *job) autoFix(ctx context.Context, step, when string, round int, c supervise.Conflict) (applied bool, resolution string, err error) {
	if when == workflow.PostTask { // what the task did is committed first, so that the two stay apart
		if _, err := j.commitAs(ctx, j.mem.Base, j.message()); err != nil {
			return false, "", err
		}
	}
	before, err := j.mem.fact(step+"-tree", func() (string, error) { return snapshot(j.tree) })
	if err != nil {
		return false, "", err
	}
	passing, err := j.passing(ctx, step, append(runs(j.Criteria), j.verification()...))
	if err != nil {
		return false, "", err
	}
	a, err := j.ask(ctx, step, workflow.SupervisorAgent, round, "", agent.Task{Role: agent.Fix, Dir: j.dir, Prompt: fmt.Sprintf(
		"A supervisor found a small conflict (%s) in the work on this task. Mend it, and nothing else.\n\n%s\nThe conflict, and its files:\n%s\nDo not commit. Give one JSON object as your result: {\"summary\": \"what you did\"}\n",
		c.Type, outline(j.Task), untrusted.Fence(c.Detail+"\n"+strings.Join(c.Files, "\n")))})
	if err != nil {
		return false, "", err
	}
	resolution, err = j.mem.fact(step, func() (string, error) {
		if a.End != agent.Done {
			return "not mended: the agent's run came to nothing (" + string(a.End) + ")", j.takeBack(ctx, before)
		}
		said, err := j.broken(ctx, step, when, round, passing)
		if err != nil {
			return "", err
		}
		if said != "" {
			return "mended, but then this failed, so it was taken back: " + text.Opening(said), j.takeBack(ctx, before)
		}
		return j.fixed(ctx, step, when, before, c)
	})
	return strings.HasPrefix(resolution, mended), resolution, err
}

const mended = "mended "

// broken says what a fix has broken: a command that passed before, or, of a task
// that was done, a criterion that a verifier judges.
func (j *job) broken(ctx context.Context, step, when string, round int, passing []string) (string, error) {
	for _, line := range passing {
		if said, ok, err := j.command(ctx, j.dir, line); err != nil || !ok {
			return said, err
		}
	}
	judged := slices.DeleteFunc(slices.Clone(j.Criteria), func(c taskdoc.Criterion) bool { return c.Run != "" })
	if when != workflow.PostTask || len(judged) == 0 {
		return "", nil
	}
	_, why, err := j.verify(ctx, step+"-verify", round, judged)
	return why, err
}

// fixed keeps what was mended.
func (j *job) fixed(ctx context.Context, step, when, before string, c supervise.Conflict) (string, error) {
	if when == workflow.OnDemand {
		now, err := snapshot(j.tree)
		if err != nil || now == before {
			return "nothing had to be changed", err
		}
		return mended + "as a part of the task", nil
	}
	hash, err := j.commitAs(ctx, before, fmt.Sprintf("fix: %s\n\n%s\n", subject(c.Detail), j.trailer(trailerFix, j.ID, step)))
	if err != nil || hash == "" {
		return "nothing had to be changed", err
	}
	if when == workflow.PreTask { // it is none of what the task does
		err = j.rebase()
	}
	return mended + "in " + text.Hash(hash), err
}

// passing are the commands that pass now, so that it can be told what a change
// has broken.
func (j *job) passing(ctx context.Context, step string, lines []string) (list []string, err error) {
	text, err := j.mem.fact(step+"-passing", func() (string, error) {
		seen := map[string]bool{}
		for _, line := range lines {
			if seen[line] {
				continue
			}
			seen[line] = true
			if _, ok, err := j.command(ctx, j.dir, line); err != nil {
				return "", err
			} else if ok {
				list = append(list, line)
			}
		}
		text, err := json.Marshal(list)
		return string(text), err
	})
	if err == nil {
		err = json.Unmarshal([]byte(text), &list)
	}
	return list, err
}

// verification is what the document wants to pass at the end.
func (j *job) verification() (lines []string) {
	for _, c := range j.plan().Verification {
		lines = append(lines, c.Run)
	}
	return lines
}

// runs are the commands of some criteria.
func runs(list []taskdoc.Criterion) (lines []string) {
	for _, c := range list {
		if c.Run != "" {
			lines = append(lines, c.Run)
		}
	}
	return lines
}

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
