package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/engine/place"
	"warp/internal/engine/prompt"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
)

// mostConflicts is how often an agent is asked during one rebase: each commit may conflict.
const mostConflicts = 5

// resolveConflicts has the agent resolve the conflicts of a rebase, once; the result is checked
// like all work. A non-empty why means that a person has to resolve them.
func (l *lane) resolveConflicts(ctx context.Context, u unit, c *gitwrite.Conflict, made *land.Rebased) (why string, err error) {
	r := l.run
	var files []string
	t := r.taker(ctx, u.index, l.guard, r.spending.bounds)
	if t.Memory, _, err = step.Remember(r.Store, r.files.path(sessionstate.Dir(r.Name)+"/landing.json"), made.Tip+" on "+made.Target); err != nil {
		return "", err
	}
	abandon := func(dir string) error { return l.land.Work.Apart().Abandon(context.WithoutCancel(ctx), dir) }
	wait := func(c *gitwrite.Conflict, say string) (string, error) {
		return fmt.Sprintf("%s conflicts with %s in %s, and %s: rebase it by hand (%s)", l.branch, l.target, text.Quote(c.Files, 5), say, l.rebaseCommand()), abandon(c.Dir)
	}
	if said := t.Memory.Facts[refusedFact]; said != "" {
		return wait(c, said)
	}
	for n := 1; c != nil; n++ {
		if n > mostConflicts {
			return wait(c, fmt.Sprintf("the agent did not resolve it in %d tries", mostConflicts))
		}
		files = append(files, c.Files...)
		name := fmt.Sprint("resolve-", n)
		if _, asked := t.Memory.Answers[name]; !asked {
			r.remark("%s conflicts with %s in %s: asking the agent to resolve it", l.branch, l.target, text.Quote(c.Files, 5))
		}
		s := step.Step{Name: name, Agent: u.stage.Agent, Task: agent.Task{Role: agent.Fix, Dir: c.Dir, Model: u.stage.Model, Prompt: conflictPrompt(r.Task, l.target, c.Files)}}
		if _, err := r.ask(ctx, t, u, n, s); err != nil {
			return "", errors.Join(err, abandon(c.Dir))
		}
		r.Passed("resolved")
		was := *c
		made.Next, c, err = l.land.Work.Apart().Resume(ctx, c.Dir)
		var unresolved *gitwrite.UnresolvedError
		switch {
		case errors.As(err, &unresolved):
			return l.refuseResolution(t.Memory, "the agent did not resolve it", func(say string) (string, error) { return wait(&was, say) })
		case err != nil:
			return "", errors.Join(err, abandon(was.Dir))
		}
	}
	stray, err := gate.Resolution{Tip: made.Tip, Target: made.Target, Next: made.Next, Files: files}.FindStray(ctx, l.land.Work.Repo())
	if err == nil && stray == "" {
		stray, err = l.checkResolution(ctx, *made, files)
	}
	if err != nil || stray == "" {
		return "", err
	}
	return l.refuseResolution(t.Memory, "its resolution was rejected: "+stray, func(say string) (string, error) {
		return fmt.Sprintf("%s conflicts with %s, and %s; rebase it by hand (%s)", l.branch, l.target, say, l.rebaseCommand()), nil
	})
}

// rebaseCommand returns the command with which a person rebases the lane. A waiting stage keeps its
// work tree, and git rebases a branch only where it is checked out.
func (l *lane) rebaseCommand() string {
	if l != l.run.lanes.own {
		return fmt.Sprintf("git -C %s rebase %s", place.Path(l.run.Root, l.place), l.target)
	}
	return fmt.Sprintf("git rebase %s %s", l.target, l.branch)
}

// checkResolution returns how a resolution weakens the target's tests, or "".
func (l *lane) checkResolution(ctx context.Context, made land.Rebased, files []string) (why string, err error) {
	r, repo := l.run, l.land.Work.Repo()
	c := judge.Candidate{Repo: repo, Prefix: l.land.Work.Root().Folder(), Criteria: []string{r.Task}, Resolved: files}
	if c.Base, err = gate.TreeOf(ctx, repo, made.Target); err != nil {
		return "", err
	}
	if c.Tree, err = gate.TreeOf(ctx, repo, made.Next); err != nil {
		return "", err
	}
	site := judge.Site{Dir: l.guard.Root, Base: made.Target}
	return r.commandSetup().CheckEach(ctx, r.Checks.Integrity, c, site, append(r.lanes.landingChecks(), r.Checks.Verify)...)
}

// refusedFact holds why a resolution was rejected: the agent is not asked again.
const refusedFact = "refused"

func (l *lane) refuseResolution(m *step.Memory, say string, wait func(string) (string, error)) (string, error) {
	m.Facts[refusedFact] = say
	if err := m.Save(); err != nil {
		return "", err
	}
	return wait(say)
}

func conflictPrompt(task, target string, files []string) string {
	return prompt.Render("conflict", map[string]any{"Task": task, "Target": target, "Files": strings.Join(files, "\n")})
}
