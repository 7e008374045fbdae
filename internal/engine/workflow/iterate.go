package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflow"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

const (
	maxDiff = 60_000 // bytes of a diff that a verifier is shown
	stuckAt = 3      // failing iterations after which the supervisor is asked
)

// turn is what came of an iteration. It is kept: what was found then is not found
// out again from what has become of the files since.
type turn struct {
	Met []workflow.Criterion `json:"met,omitempty"`
	OK  bool                 `json:"ok"` // the criteria are met and nobody objects
	Why string               `json:"why,omitempty"`
}

// iterate is one turn of a task, unless it was made before a crash. Ok says that
// the criteria are met and nobody objects.
func (j *job) iterate(ctx context.Context, n int) (met workflow.Criteria, ok bool, err error) {
	t, err := step.Found(j.mem, fmt.Sprint("iteration-", n), func() (turn, error) {
		met, ok, err := j.turn(ctx, n)
		return turn{met, ok, j.why}, err
	})
	j.why = t.Why
	return t.Met, t.OK, err
}

// turn is implement, verify, review, learn, decide.
func (j *job) turn(ctx context.Context, n int) (met workflow.Criteria, ok bool, err error) {
	held, err := j.hold().renew()
	if err == nil && !held {
		err = j.hold().claim(j.Files)
	}
	if err != nil {
		return nil, false, err
	}
	if err := j.update("iteration_began", func(s *workflow.State) error { s.IterationBegun(j.ID, n); return nil }); err != nil {
		return nil, false, err
	}
	j.tell(Note{Kind: Iterated, Phase: j.Phase, Task: j.ID, Text: fmt.Sprintf("iteration %d", n)})
	q := question{name: fmt.Sprint("implement-", n), kind: workflow.TaskExecutor, round: n, allows: j.allows(), Task: agent.Task{Role: agent.Code, Prompt: briefing{j}.prompt(n), Criteria: keys(j.Criteria)}}
	if len(j.Task.Agents) > 0 {
		q.agent = j.Task.Agents[0]
	}
	a, err := j.ask(ctx, q)
	if err != nil {
		return nil, false, err
	}
	if a.Failed() {
		j.why = fmt.Sprintf("the agent's run came to nothing: %s %s", a.End, a.Why)
		return nil, false, j.learned(n, a, nil)
	}
	met, why, err := j.verify(ctx, fmt.Sprint("verify-", n), n, j.Criteria)
	if err != nil {
		return nil, false, err
	}
	j.why = why
	s := supervisor{j}
	if ok = all(met) && why == ""; ok {
		if err := s.check(ctx, workflow.PostTask, n); err != nil {
			return nil, false, err
		}
		ok = j.why == ""
	} else if n%stuckAt == 0 {
		if err := s.check(ctx, workflow.OnDemand, n); err != nil {
			return nil, false, err
		}
	}
	return met, ok, j.learned(n, a, met)
}

func keys(list []taskdoc.Criterion) (out []string) {
	for _, c := range list {
		out = append(out, c.Key)
	}
	return out
}

// verify finds out which criteria are met: by their commands, or by an agent that
// can only read and sees the diff. Work that makes tests worth less does not do,
// whatever they say.
func (j *job) verify(ctx context.Context, name string, n int, list []taskdoc.Criterion) (met workflow.Criteria, why string, err error) {
	met = make(workflow.Criteria, len(list))
	var judged []taskdoc.Criterion
	var wanting []string
	verdict := func(c taskdoc.Criterion, passed bool, seen, said string) {
		met[slices.IndexFunc(list, func(o taskdoc.Criterion) bool { return o.Key == c.Key })].Met = passed
		j.tell(Note{Kind: Verified, Task: j.ID, Text: c.Key + ": " + seen, Passed: &passed})
		if !passed {
			wanting = append(wanting, fmt.Sprintf("%s: %s", c.Text, said))
		}
	}
	err = j.running(ctx, j.began(), func() error {
		for i, c := range list {
			met[i].Key = c.Key
			if c.Run == "" {
				judged = append(judged, c)
				continue
			}
			said, passed, err := j.try(ctx, c.Run)
			if err != nil {
				return err
			}
			verdict(c, passed, c.Run, said)
		}
		return nil
	})
	if err != nil || len(wanting) > 0 {
		return met, strings.Join(wanting, "\n"), err
	}
	now, err := j.finished()
	if err != nil {
		return nil, "", err
	}
	if why, err = j.weakened(j.base(), now, j.asked()); err != nil || why != "" {
		return met, why, err
	}
	verdicts, err := j.judge(ctx, name, n, judged, now)
	for i, c := range judged {
		if err == nil {
			verdict(c, verdicts[i].Met, verdicts[i].Reason, verdicts[i].Reason)
		}
	}
	return met, strings.Join(wanting, "\n"), err
}

// judge asks a verifier. What it does not name is not met.
func (j *job) judge(ctx context.Context, name string, n int, list []taskdoc.Criterion, now string) ([]judge.Verdict, error) {
	if len(list) == 0 {
		return nil, nil
	}
	diff, cut, err := j.tree.Diff(ctx, j.base(), now, maxDiff)
	if err != nil {
		return nil, err
	}
	a, err := j.ask(ctx, question{name: name, kind: workflow.SupervisorAgent, round: n, Task: agent.Task{
		Role: agent.Verify, Prompt: verifyPrompt(j.Task, list, diff, cut), ReadOnly: true, Criteria: keys(list)}})
	if err != nil {
		return nil, err
	}
	var said judge.Answer
	verdicts := said.Verdicts(keys(list))
	if a.Read(&said) {
		return said.Verdicts(keys(list)), nil
	}
	for i := range verdicts {
		verdicts[i].Reason = "the verifier gave no verdict: " + string(a.End) + " " + a.Why
	}
	return verdicts, nil
}

// weakened says how the work makes tests worth less.
func (j *job) weakened(base, now string, asked []string) (string, error) {
	if base == now {
		return "", nil
	}
	root, err := j.tree.Repo().Root()
	if err != nil {
		return "", err
	}
	why, err := j.Integrity(judge.Candidate{Repo: j.tree.Repo(), Base: base, Tree: now, Prefix: strings.TrimSuffix(root.Prefix, "/"), Tests: j.Tests, Asked: asked})
	if why != "" {
		passed := false
		j.tell(Note{Kind: Verified, Task: j.ID, Text: why, Passed: &passed})
	}
	return why, err
}

// asked is what the criteria say, of the task or of all: one may want a test to go.
func (j *job) asked() (list []string) {
	criteria := slices.Clone(j.Criteria)
	if j.whole() {
		for _, t := range j.plan().Tasks() {
			criteria = append(criteria, t.Criteria...)
		}
	}
	for _, c := range criteria {
		list = append(list, c.Text)
	}
	return list
}

// whole tells the job that is about the whole, of which everything is committed.
func (j *job) whole() bool { return j.ID == workflow.OuterTask }

// began is the tree that uncommitted work began with; "": there is none.
func (j *job) began() string {
	if j.whole() {
		return ""
	}
	return j.base()
}

// finished is what there is of the job to be judged: the work tree, and of the
// whole, all of which is committed, the commit.
func (j *job) finished() (string, error) {
	if j.whole() {
		return j.tree.Repo().Head()
	}
	return j.snapshot()
}

// try runs one of the document's commands. Said is what it said when it failed.
func (j *job) try(ctx context.Context, line string) (said string, passed bool, err error) {
	res, err := j.command(j.dir, line).Run(ctx)
	if err != nil || res.Passed {
		return "", err == nil, err
	}
	return j.Redact(res.String()), false, nil
}

// running runs commands. What they leave behind is no part of the work, and not a
// person's; where they change what the work has changed since a tree, it is.
func (j *job) running(ctx context.Context, since string, commands func() error) error {
	before, err := j.snapshot()
	if err != nil {
		return err
	}
	bad := commands()
	after, err := j.snapshot()
	if err != nil || after == before {
		return joined(bad, err)
	}
	left, err := j.tree.Repo().Changes(before, after)
	if err != nil {
		return joined(bad, err)
	}
	var ours []string
	if since != "" {
		own, err := j.tree.Repo().Changes(since, before)
		if err != nil {
			return joined(bad, err)
		}
		ours = git.Paths(own)
	}
	paths := slices.DeleteFunc(git.Paths(left), func(p string) bool { return slices.Contains(ours, p) })
	if len(paths) > 0 {
		err = j.setAside(ctx, paths)
	}
	return joined(bad, joined(err, j.guard.Settle(ctx)))
}

// joined is the first of two errors: it says why.
func joined(first, second error) error {
	if first != nil {
		return first
	}
	return second
}
