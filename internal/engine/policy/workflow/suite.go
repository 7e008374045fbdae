package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/testoutput"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
)

// suite is the project's tests, run on the work as a whole.
type suite struct{ job *job }

// outcome is what a run of the project's tests says.
type outcome struct {
	Passed  bool     `json:"passed"`
	Failing []string `json:"failing,omitempty"`
	Print   string   `json:"print"` // of what it says where no test is named
}

func outcomeOf(s judge.CommandResult) outcome {
	return outcome{Passed: s.Passed, Failing: testoutput.FailingTests(s.Output), Print: fmt.Sprint(s.Exit, testoutput.Signature(s.Excerpt()))}
}

// tests is a command, to be held against what it was; nil: it is not.
func (t suite) tests(c judge.Candidate, line string) *judge.Tests {
	r := t.job.run
	if t.job.guard == nil {
		return nil
	}
	return r.commandSetup().NewTests(c, t.job.at(""), r.command(line))
}

// try runs the tests on a tree. Lost says which of them passed before the work and do
// not run any more.
func (t suite) try(ctx context.Context, tree string) (said judge.CommandResult, lost string, err error) {
	r := t.job.run
	c := judge.Candidate{Base: r.now().Base, Tree: tree, Criteria: criteriaTexts(t.job.Task, r.plan())}
	if t.job.guard != nil {
		c.Repo = t.job.tree.Repo()
		root, err := c.Repo.Root()
		if err != nil {
			return said, "", err
		}
		c.Prefix = strings.TrimSuffix(root.Prefix, "/")
	}
	tests := t.tests(c, r.Tests)
	if tests == nil {
		said, err = t.job.at(tree).Run(ctx, r.command(r.Tests))
		return said, "", err
	}
	ran, err := tests.RunAgain(ctx, tree, tests.Command)
	if err == nil && !ran.Result.Passed {
		var chance bool
		if chance, err = tests.IsFlaky(ctx, c.Base, tree, ran.Result); chance && err == nil {
			r.remark("%s: %s", judge.FlakyTests, r.Redact(ran.Result.String()))
			ran.Result.Passed = true
		}
	}
	if err != nil || !ran.Result.Passed {
		return ran.Result, "", err
	}
	f, err := tests.FindLostTests(ctx, c)
	return ran.Result, f.Why(), err
}

// run runs the tests on a tree. Why says what the work has broken; red are tests that fail,
// and did before.
func (t suite) run(ctx context.Context, tree string) (why string, red []string, err error) {
	r := t.job.run
	if r.Tests == "" {
		return "", nil, nil
	}
	said, lost, err := t.try(ctx, tree)
	if err != nil || said.Passed {
		return lost, nil, err
	}
	base := r.now().Base
	was, err := step.Found(t.job.mem, "suite-"+base, func() (o outcome, err error) {
		said, err := t.job.at(base).Run(ctx, r.command(r.Tests))
		return outcomeOf(said), err
	})
	if err != nil {
		return "", nil, err
	}
	now := outcomeOf(said)
	broke := slices.DeleteFunc(slices.Clone(now.Failing), func(name string) bool { return slices.Contains(was.Failing, name) })
	switch {
	case !was.Passed && len(now.Failing) > 0 && len(broke) == 0:
		return "", now.Failing, nil
	case !was.Passed && len(now.Failing)+len(was.Failing) == 0 && now.Print == was.Print:
		return "", []string{r.Tests}, nil
	case len(broke) > 0:
		return fmt.Sprintf("the test suite (%s) fails: %s", r.Tests, text.Quote(broke, 10)), nil, nil
	}
	return "the test suite fails: " + r.Redact(said.String()), nil, nil
}
