package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/session"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/engine/step"
	"warp/internal/sys/work"
)

// mostConflicts is how often an agent is asked while one branch is rebased: each of its
// commits may conflict.
const mostConflicts = 5

// resolve lets the agent resolve the conflicts of a rebase, once; what it made of them is
// looked at as all work is. Why says that a person has to.
func (l *lane) resolve(ctx context.Context, u unit, c *work.Conflict, made *land.Rebased) (why string, err error) {
	r := l.run
	var files []string
	t := r.taker(ctx, u.index, l.guard, r.purse.bounds)
	if t.Memory, _, err = step.Remember(r.Store, r.files.path(session.Dir(r.Name)+"/landing.json"), made.Tip+" on "+made.Target); err != nil {
		return "", err
	}
	abandon := func(dir string) error { return l.land.Work.Abandon(context.WithoutCancel(ctx), dir) }
	wait := func(c *work.Conflict, say string) (string, error) {
		return fmt.Sprintf("%s conflicts with %s in %s, and %s: rebase it by hand (git rebase %s %s)", l.branch, l.target, text.Quote(c.Files, 5), say, l.target, l.branch), abandon(c.Dir)
	}
	if said := t.Memory.Facts[refusedFact]; said != "" {
		return wait(c, said)
	}
	for n := 1; c != nil; n++ {
		if n > mostConflicts {
			return wait(c, fmt.Sprintf("the agent was asked %d times", mostConflicts))
		}
		files = append(files, c.Files...)
		name := fmt.Sprint("resolve-", n)
		if _, asked := t.Memory.Answers[name]; !asked {
			r.remark("%s conflicts with %s in %s: the agent is asked to resolve it", l.branch, l.target, text.Quote(c.Files, 5))
		}
		s := step.Step{Name: name, Agent: u.stage.Agent, Task: agent.Task{Role: agent.Fix, Dir: c.Dir, Model: u.stage.Model, Prompt: conflictPrompt(r.Task, l.target, c.Files)}}
		if _, err := r.ask(ctx, t, u, n, s); err != nil {
			return "", errors.Join(err, abandon(c.Dir))
		}
		r.Passed("resolved")
		was := *c
		made.Next, c, err = l.land.Work.Resume(ctx, c.Dir)
		var unresolved *work.UnresolvedError
		switch {
		case errors.As(err, &unresolved):
			return l.refuse(t.Memory, "the agent did not resolve it", func(say string) (string, error) { return wait(&was, say) })
		case err != nil:
			return "", errors.Join(err, abandon(was.Dir))
		}
	}
	stray, err := gate.Resolution{Tip: made.Tip, Target: made.Target, Next: made.Next, Files: files}.FindStray(ctx, l.land.Work.Repo())
	if err == nil && stray == "" {
		stray, err = judge.ReadTests(judge.Candidate{Repo: l.land.Work.Repo(), Base: made.Target, Tree: made.Next, Criteria: []string{r.Task}})
	}
	if err != nil || stray == "" {
		return "", err
	}
	return l.refuse(t.Memory, "what the agent made of it is not taken: "+stray, func(say string) (string, error) {
		return fmt.Sprintf("%s conflicts with %s, and %s; rebase it by hand (git rebase %s %s)", l.branch, l.target, say, l.target, l.branch), nil
	})
}

// refusedFact is why a resolution was not taken: the agent is not asked again.
const refusedFact = "refused"

func (l *lane) refuse(m *step.Memory, say string, wait func(string) (string, error)) (string, error) {
	m.Facts[refusedFact] = say
	if err := m.Save(); err != nil {
		return "", err
	}
	return wait(say)
}

// conflictPrompt asks for the resolution of a conflict.
func conflictPrompt(task, target string, files []string) string {
	return fmt.Sprintf(`You are in a work tree in which a git rebase onto %s has stopped: these files have conflict markers.

- %s

Both sides are wanted: the commits of this work, and what %[1]s has got meanwhile. Edit these files so that both hold, and remove every marker. Change nothing else, and do not run git rebase, git add or git commit: that is done for you. What this work was about:

%[3]s
`, target, strings.Join(files, "\n- "), task)
}
