package workflow

import (
	"context"
	"fmt"
	"slices"

	"warp/internal/core/testoutput"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
	"warp/internal/engine/prompt"
	"warp/internal/engine/step"
)

// suite runs the project's tests on the work as a whole.
type suite struct{ job *job }

// outcome is the result of running the project's tests.
type outcome struct {
	Passed  bool     `json:"passed"`
	Failing []string `json:"failing,omitempty"`
	Print   string   `json:"print"` // signature of the output if no test is named
}

func outcomeOf(s judge.CommandResult) outcome {
	return outcome{Passed: s.Passed, Failing: testoutput.FailingTests(s.Output), Print: fmt.Sprint(s.Exit, testoutput.Signature(s.Excerpt()))}
}

// aboutTests adds the test command and how long it takes, as far as this process knows.
func (r *run) aboutTests(v textValues) textValues {
	v["Tests"] = prompt.Clip(maxCommand, r.Tests)
	if took := r.suiteMillis.Load(); took > 0 {
		v["Took"] = text.Span(float64(took) / 1000)
	}
	return v
}

func (r *run) noteSuite(said judge.CommandResult) {
	if said.Passed {
		r.suiteMillis.Store(max(1, int64(said.Seconds*1000)))
	}
}

const maxCommand = 150 // characters of the test command in a prompt

// newTests returns a command as tests that are compared with the old ones; nil if they cannot be.
func (t suite) newTests(c judge.Candidate, line string) *judge.Tests {
	r := t.job.run
	if t.job.guard == nil {
		return nil
	}
	return r.commandSetup().NewTests(c, t.job.siteFor(""), r.command(line))
}

// runTests runs the tests on a tree. lost names those that passed before the work and no longer
// run.
func (t suite) runTests(ctx context.Context, tree string) (said judge.CommandResult, lost string, err error) {
	r := t.job.run
	c := judge.Candidate{Base: r.now().Base, Tree: tree, Criteria: criteriaTexts(t.job.Task, r.plan())}
	if t.job.guard != nil {
		c.Repo, c.Prefix = t.job.tree.Repo(), t.job.tree.Root().Folder()
	}
	tests := t.newTests(c, r.Tests)
	if tests == nil {
		said, err = t.job.siteFor(tree).Run(ctx, r.command(r.Tests))
		r.noteSuite(said)
		return said, "", err
	}
	ran, err := tests.RunAgain(ctx, tree, tests.Command)
	r.noteSuite(ran.Result)
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

// run runs the tests on a tree. why says what the work broke; red are tests that fail now and
// failed before.
func (t suite) run(ctx context.Context, tree string) (why string, red []string, err error) {
	r := t.job.run
	if r.Tests == "" {
		return "", nil, nil
	}
	said, lost, err := t.runTests(ctx, tree)
	if err != nil || said.Passed {
		return lost, nil, err
	}
	base := r.now().Base
	was, err := step.FactAs(t.job.mem, "suite-"+base, func() (o outcome, err error) {
		said, err := t.job.siteFor(base).Run(ctx, r.command(r.Tests))
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
