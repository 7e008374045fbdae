package workflow

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
)

const maxDiff = 60_000 // bytes of a diff shown to a verifier

// findFailing runs commands on a tree, each once, and returns the output of those that fail, by
// command line. stop ends it at the first failure.
func (j *job) findFailing(ctx context.Context, tree string, lines []string, stop bool) (failed map[string]string, err error) {
	failed = map[string]string{}
	if len(lines) == 0 {
		return failed, nil
	}
	place, err := j.siteFor(tree).Enter(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, place.Leave()) }()
	for i, line := range lines {
		if slices.Contains(lines[:i], line) {
			continue
		}
		res, err := place.Run(ctx, j.run.command(line))
		if err != nil {
			return nil, err
		}
		if line == j.run.Tests {
			j.run.noteSuite(res)
		}
		if res.Passed {
			continue
		}
		failed[line] = j.run.Redact(res.String())
		if stop {
			break
		}
	}
	return failed, nil
}

// siteFor returns where commands run on a tree, or on the work tree without a repository.
func (j *job) siteFor(tree string) judge.Site {
	s := judge.Site{Dir: j.dir}
	if j.guard != nil {
		s.Rooms, s.Tree, s.Base = j.run.Rooms, tree, j.run.now().Base
	}
	return s
}

// verifier checks whether a job did what was asked. For the job about the whole, everything is
// committed.
type verifier struct{ *job }

// finished returns the tree to judge.
func (v verifier) finished() (string, error) {
	if v.ID == workflowstate.OuterTask {
		return v.tree.Repo().Head()
	}
	return v.snapshot()
}

// verify determines which criteria are met: by their commands, or by an agent with read-only access
// that sees the diff. Work that weakens tests fails, whatever they say, and no agent is asked about
// what cannot be committed.
func (v verifier) verify(ctx context.Context, name string, round int, list []taskdoc.Criterion) (met workflowstate.Criteria, why string, err error) {
	now, err := v.finished()
	if err != nil {
		return nil, "", err
	}
	failed, err := v.findFailing(ctx, now, taskdoc.CommandsOf(list), false)
	if err != nil {
		return nil, "", err
	}
	met = make(workflowstate.Criteria, len(list))
	var wanting []string
	verdict := func(i int, passed bool, seen, said string) {
		met[i].Met = passed
		v.run.tell(Note{Kind: Verified, Task: v.ID, Text: list[i].Key + ": " + seen, Passed: &passed})
		if !passed {
			wanting = append(wanting, list[i].Text+": "+said)
		}
	}
	for i, c := range list {
		met[i].Key = c.Key
		if c.Run != "" {
			said, bad := failed[c.Run]
			verdict(i, !bad, c.Run, said)
		}
	}
	if len(wanting) > 0 {
		return met, strings.Join(wanting, "\n"), nil
	}
	if why, err = v.explainWeakened(ctx, v.base(), now); err != nil || why != "" {
		return met, why, err
	}
	judged := taskdoc.Judged(list)
	if len(judged) > 0 {
		if why, err = v.whyUncommittable(ctx, v.base()); err != nil || why != "" {
			return met, why, err
		}
	}
	verdicts, err := v.askVerifier(ctx, name, round, judged, now, taskdoc.CommandsOf(list))
	if err != nil {
		return nil, "", err
	}
	for i, c := range list {
		if c.Run == "" {
			verdict(i, verdicts[0].Met, verdicts[0].Reason, verdicts[0].Reason)
			verdicts = verdicts[1:]
		}
	}
	return met, strings.Join(wanting, "\n"), nil
}

// numbered returns criteria with short ids for an agent: C1 for the first of all of them. Their keys
// are sentences, which no one copies without a slip.
func numbered(all, list []taskdoc.Criterion) (short []taskdoc.Criterion) {
	for _, c := range list {
		n := slices.IndexFunc(all, func(a taskdoc.Criterion) bool { return a.Key == c.Key })
		if n < 0 {
			n = len(all) + len(short)
		}
		c.Key = fmt.Sprintf("C%d", n+1)
		short = append(short, c)
	}
	return short
}

// sayPassed tells a verifier what was run on exactly this work, so that it runs none of it again.
func (v verifier) sayPassed(tree string, passed []string) string {
	if tests := (suite{v.job}).newTests(judge.Candidate{Repo: v.tree.Repo(), Prefix: v.tree.Root().Folder()}, v.run.Tests); tests != nil {
		if _, ok := tests.Passed(tree); ok {
			passed = append(slices.Clone(passed), v.run.Tests)
		}
	}
	if len(passed) == 0 {
		return ""
	}
	return "warp ran this on exactly this work, and it passed: " + text.Quote(slices.Compact(passed), 5) + ". Do not run it again."
}

// explainWeakened returns how the work weakens tests, or "". The criteria are considered, the
// task's or all: one may ask to remove a test.
func (v verifier) explainWeakened(ctx context.Context, base, now string) (string, error) {
	if base == now {
		return "", nil
	}
	c := judge.Candidate{Repo: v.tree.Repo(), Base: base, Tree: now, Prefix: v.tree.Root().Folder(), Tests: v.run.Tests, Criteria: criteriaTexts(v.Task, v.run.plan())}
	c.Suite = suite{v.job}.newTests(c, v.run.Tests)
	why, err := v.run.Integrity(ctx, c)
	for _, line := range taskdoc.CommandsOf(criteriaOf(v.Task, v.run.plan())) {
		if tests := (suite{v.job}).newTests(c, line); err == nil && why == "" && tests != nil {
			why, err = tests.CheckRunners(ctx, c)
		}
	}
	if why != "" {
		v.run.tell(Note{Kind: Verified, Task: v.ID, Text: why, Passed: new(false)})
	}
	return why, err
}

// whyUncommittable returns why the changes since a tree cannot be committed: secrets, or the
// repository's hooks; "" if they can.
func (v verifier) whyUncommittable(ctx context.Context, base string) (string, error) {
	if v.guard == nil {
		return "", nil
	}
	err := v.land.Check(ctx, land.Commit{Change: gitwrite.Change{Base: base, Exclude: v.guard.Private()}, Asked: criteriaTexts(v.Task, v.run.plan())})
	refused, is := errors.AsType[land.Refusal](err)
	if !is {
		return "", err
	}
	v.run.tell(Note{Kind: Verified, Task: v.ID, Text: refused.Brief(), Passed: new(false)})
	return v.run.Redact(refused.Error()), nil
}

// criteriaOf returns the criteria of a task, or of the whole.
func criteriaOf(t taskdoc.Task, plan *taskdoc.Document) []taskdoc.Criterion {
	criteria := slices.Clone(t.Criteria)
	if t.ID == workflowstate.OuterTask {
		for _, t := range plan.Tasks() {
			criteria = append(criteria, t.Criteria...)
		}
	}
	return criteria
}

// criteriaTexts returns the texts of criteriaOf.
func criteriaTexts(t taskdoc.Task, plan *taskdoc.Document) (list []string) {
	for _, c := range criteriaOf(t, plan) {
		list = append(list, c.Text)
	}
	return list
}

// change is a change that an agent makes apart from the task's own work.
type change struct {
	question
	what   string              // for people
	guards []string            // commands that must keep passing if they passed before
	judged []taskdoc.Criterion // criteria to judge again
	// holds returns what is still wrong; nil: no further check.
	holds func() (why string, err error)
	// keep keeps the change, and describes how.
	keep func() (result string, err error)
}

// tryChange has an agent change something. A change that breaks a passing command, a test or a
// criterion is reverted. result says what became of it.
func (v verifier) tryChange(ctx context.Context, c change) (result string, err error) {
	before, err := v.mem.Fact(c.name+treeOf, v.snapshot)
	if err != nil {
		return "", err
	}
	passing, err := step.FactAs(v.mem, c.name+"-passing", func() ([]string, error) {
		failed, err := v.findFailing(ctx, before, c.guards, false)
		return slices.DeleteFunc(slices.Clone(c.guards), func(line string) bool { return failed[line] != "" }), err
	})
	if err != nil {
		return "", err
	}
	a, err := v.ask(ctx, c.question)
	if err != nil {
		return "", err
	}
	return v.mem.Fact(c.name, func() (string, error) {
		why := "the agent gave no result (" + string(a.End) + ")"
		if !a.Failed() {
			why, err = v.explainBroken(ctx, c, passing)
		}
		if err == nil && why == "" && c.holds != nil {
			why, err = c.holds()
		}
		switch {
		case err != nil:
			return "", err
		case why != "":
			v.run.remark("%s was taken back (what the task itself committed stays): %s", c.what, text.Opening(why))
			return "not fixed, and reverted: " + text.Opening(why), v.takeBack(ctx, c.name)
		}
		return c.keep()
	})
}

// explainBroken returns what a change broke, or "".
func (v verifier) explainBroken(ctx context.Context, c change, passing []string) (string, error) {
	tree := v.mem.Facts[c.name+treeOf]
	now, err := v.snapshot()
	if err != nil {
		return "", err
	}
	failed, err := v.findFailing(ctx, now, passing, true)
	if err != nil || len(failed) > 0 {
		return strings.Join(slices.Collect(maps.Values(failed)), "\n"), err
	}
	why, err := v.explainWeakened(ctx, tree, now)
	if err == nil && why == "" {
		why, err = v.whyUncommittable(ctx, tree)
	}
	if err == nil && why == "" {
		why, err = v.explainStray(ctx, tree, now, c.what)
	}
	if err != nil || why != "" || len(c.judged) == 0 {
		return why, err
	}
	_, why, err = v.verify(ctx, c.name+"-verify", c.round, c.judged)
	return why, err
}
