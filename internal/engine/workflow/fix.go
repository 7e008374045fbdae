package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/core/workflow"
	"warp/internal/core/workflow/supervise"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// autoFix has a small conflict fixed: it is verified, and committed by itself.
// What does not hold is taken back, and so is a fix after which the engine's own
// check still finds the conflict. Where a task is stuck there is nothing yet that
// it could be committed apart from: then it is a part of the task.
func (j supervisor) autoFix(ctx context.Context, name, when string, round int, c supervise.Conflict) (applied bool, resolution string, err error) {
	if when == workflow.PostTask { // what the task did is committed first, so that the two stay apart
		if _, _, err := j.commit(ctx); err != nil {
			return false, "", err
		}
	}
	if _, err := j.mem.Fact(name+treeOf, j.snapshot); err != nil {
		return false, "", err
	}
	passing, err := j.passing(ctx, name, append(runs(j.Criteria), j.verification()...))
	if err != nil {
		return false, "", err
	}
	q := question{name: name, kind: workflow.SupervisorAgent, round: round, Task: agent.Task{Role: agent.Fix, Prompt: fmt.Sprintf(
		"A supervisor found a small conflict (%s) in the work on this task. Fix it, and nothing else.\n\n%s\nThe conflict, and its files:\n%s\nDo not commit. Give one JSON object as your result: {\"summary\": \"what you did\"}\n",
		c.Type, outline(j.Task), untrusted.Fence(c.Detail+"\n"+strings.Join(c.Files, "\n")))}}
	if len(c.Files) > 0 {
		q.allows = j.allows(c.Files...)
	}
	a, err := j.ask(ctx, q)
	if err != nil {
		return false, "", err
	}
	resolution, err = j.mem.Fact(name, func() (string, error) {
		why := "the agent's run came to nothing (" + string(a.End) + ")"
		if !a.Failed() {
			if why, err = j.broken(ctx, name, when, round, passing); err != nil {
				return "", err
			}
		}
		if why == "" {
			if why, err = j.persists(c); err != nil {
				return "", err
			}
		}
		if why != "" {
			return "not fixed, and taken back: " + text.Opening(why), j.takeBack(ctx, name)
		}
		return j.keepFix(ctx, name, when, c)
	})
	return strings.HasPrefix(resolution, fixed), resolution, err
}

const fixed = "fixed "

// persists says that the engine's own check still finds a conflict which it has
// found before.
func (j supervisor) persists(c supervise.Conflict) (string, error) {
	now, err := j.snapshot()
	if err != nil {
		return "", err
	}
	found, err := j.inspect(j.base(), now)
	if slices.ContainsFunc(found, func(o supervise.Conflict) bool { return o.Type == c.Type && o.Detail == c.Detail }) {
		return "the conflict is still there: " + c.Detail, err
	}
	return "", err
}

// broken says what a fix has broken: a command that passed before, a test that is
// worth less, or, of a task that was done, a criterion that a verifier judges.
func (j *job) broken(ctx context.Context, name, when string, round int, passing []string) (why string, err error) {
	err = j.running(ctx, j.mem.Facts[name+treeOf], func() error {
		for _, line := range passing {
			said, ok, err := j.try(ctx, line)
			if err != nil || !ok {
				why = said
				return err
			}
		}
		return nil
	})
	if err != nil || why != "" {
		return why, err
	}
	now, err := j.snapshot()
	if err != nil {
		return "", err
	}
	if why, err = j.weakened(j.mem.Facts[name+treeOf], now, j.asked()); err != nil || why != "" {
		return why, err
	}
	judged := slices.DeleteFunc(slices.Clone(j.Criteria), func(c taskdoc.Criterion) bool { return c.Run != "" })
	if when != workflow.PostTask || len(judged) == 0 {
		return "", nil
	}
	_, why, err = j.verify(ctx, name+"-verify", round, judged)
	return why, err
}

// keepFix keeps what was fixed.
func (j supervisor) keepFix(ctx context.Context, name, when string, c supervise.Conflict) (string, error) {
	if when == workflow.OnDemand {
		now, err := j.snapshot()
		if err != nil || now == j.mem.Facts[name+treeOf] {
			return "nothing had to be changed", err
		}
		return fixed + "as a part of the task", nil
	}
	hash, err := j.commitAs(ctx, name+treeOf, "fix: "+subject(c.Detail), j.trailer(trailerFix, j.ID, name))
	if err != nil || hash == "" {
		return "nothing had to be changed", err
	}
	if when == workflow.PreTask { // it is none of what the task does
		err = j.rebase()
	}
	return fixed + "in " + text.Hash(hash), err
}

// passing are the commands that pass now, so that it can be told what a change
// has broken.
func (j *job) passing(ctx context.Context, name string, lines []string) ([]string, error) {
	return step.Found(j.mem, name+"-passing", func() (list []string, err error) {
		err = j.running(ctx, j.began(), func() error {
			tried := map[string]bool{}
			for _, line := range lines {
				if tried[line] {
					continue
				}
				tried[line] = true
				_, ok, err := j.try(ctx, line)
				if err != nil {
					return err
				}
				if ok {
					list = append(list, line)
				}
			}
			return nil
		})
		return list, err
	})
}

// verification is what the document wants to pass at the end.
func (r *run) verification() (lines []string) {
	for _, c := range r.plan().Verification {
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

// takeBack makes the work tree what it was before a fix or an improvement, but for
// what a person has changed since.
func (j *job) takeBack(ctx context.Context, name string) error {
	if err := j.taker(ctx).Look(ctx, j.scope(nil)); err != nil {
		return err
	}
	return j.restore(ctx, j.mem.Facts[name+treeOf])
}
