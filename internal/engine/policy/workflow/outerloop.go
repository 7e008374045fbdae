package workflow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/prompt"
	"warp/internal/engine/step"
)

// mostFindings is how many findings one scan may yield.
const mostFindings = 5

// finding is an improvement that a scanner found, or a criterion that is not met.
type finding struct {
	Title    string   `json:"title"`
	Priority string   `json:"priority"`
	Files    []string `json:"files"`
}

// outer is the outer loop: a scanner lists improvements, and each is made, tested and committed
// separately; then the global criteria are verified and the work is delivered as the level says.
type outer struct{ *job }

func (p phases) reviewing(ctx context.Context) error {
	r := p.run
	r.bounds.Share(1)
	m, err := r.memory(workflowstate.OuterTask, r.now().Checkpoints.Last())
	if err != nil {
		return err
	}
	d := r.plan()
	o := outer{&job{site: r.home, mem: m, Task: taskdoc.Task{ID: workflowstate.OuterTask, Name: d.Title, Description: cmp.Or(d.Goal, d.Context), Criteria: d.Criteria}}}
	for _, t := range r.now().CompletedTasks {
		o.Files = append(o.Files, t.FilesModified...)
	}
	slices.Sort(o.Files)
	o.Files = slices.Compact(o.Files)
	m.Facts[factBase], m.Facts[factHead] = r.now().Base, r.now().Base
	l := &landing{job: o.job}
	if l.before, err = m.Fact("metrics-before", func() (string, error) { return o.metrics(ctx) }); err != nil {
		return err
	}
	why, err := o.runRounds(ctx)
	if err != nil {
		return err
	}
	if why != "" {
		defer r.leaveWorkTree(ctx)
		return r.fire("failed", workflowstate.GaveUp, "the global success criteria are not met: "+text.Opening(why))
	}
	if l.after, err = m.Fact("metrics-after", func() (string, error) { return o.metrics(ctx) }); err != nil {
		return err
	}
	if err := l.integrate(ctx); err != nil {
		return err
	}
	report := []byte(l.report()) // rendered now, because a rebase renames commits
	if err := r.edit(Folder+"/report.md", func([]byte) ([]byte, error) { return report, nil }); err != nil {
		return err
	}
	if err := r.remote.Check(ctx, r.home.refs[0]); err != nil {
		return err
	}
	if err := (milestones{r}).fileMissing(ctx, trackerTries); err != nil {
		return err
	}
	if err := r.fire("outer_done", workflowstate.OuterDone, ""); err != nil {
		return err
	}
	m.Forget()
	r.leaveWorkTree(ctx)
	return nil
}

// metrics returns figures to compare the work by.
func (o outer) metrics(ctx context.Context) (string, error) {
	lines := o.run.plan().Checks()
	head, err := o.tree.Repo().Head()
	if err != nil {
		return "", err
	}
	failed, err := o.findFailing(ctx, head, lines, false)
	if err != nil {
		return "", err
	}
	passing := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return failed[line] != "" })
	st, err := o.tree.Stat(ctx, o.run.now().Base, head)
	return fmt.Sprintf("%d of %d verification commands pass; %s changed, +%d -%d lines",
		len(passing), len(lines), text.Count(st.Files, "file"), st.Insertions, st.Deletions), err
}

// runRounds runs the rounds of the outer loop until nothing is found or the limit is reached. It
// verifies the global criteria first, and after each round that changed something. why says what is
// not met in the end.
func (o outer) runRounds(ctx context.Context) (why string, err error) {
	rounds := 0
	if loop := o.run.plan().OuterLoop; loop.Enabled {
		rounds = loop.Iterations
	}
	t, err := o.verifyWhole(ctx, 0)
	for n := 1; err == nil && n <= rounds; n++ {
		o.why = t.Why
		if err := o.run.record("iteration_began", func(s *workflowstate.State) { s.IterationBegun(o.ID, n) }); err != nil {
			return "", err
		}
		list, bad := step.FactAs(o.mem, fmt.Sprint("findings-", n), func() ([]finding, error) { return o.findImprovements(ctx, n) })
		if bad != nil || len(list) == 0 {
			return t.Why, bad
		}
		kept := false
		for i, f := range list {
			result, err := o.improvement(ctx, fmt.Sprintf("improve-%d-%d", n, i+1), n, f)
			if err != nil {
				return "", err
			}
			kept = kept || strings.HasPrefix(result, committed)
		}
		if kept {
			t, err = o.verifyWhole(ctx, n)
		}
	}
	return t.Why, err
}

// verifyWhole verifies the global criteria, and runs the verification commands and the project's
// tests, once per round.
func (o outer) verifyWhole(ctx context.Context, n int) (iterationResult, error) {
	return step.FactAs(o.mem, fmt.Sprint("global-", n), func() (iterationResult, error) {
		met, why, err := verifier(o).verify(ctx, fmt.Sprint("verify-", n), n, o.Criteria)
		if err != nil {
			return iterationResult{}, err
		}
		head, err := o.tree.Repo().Head()
		if err != nil {
			return iterationResult{}, err
		}
		lines := o.run.plan().Checks()
		failed, err := o.findFailing(ctx, head, lines, false)
		if err != nil {
			return iterationResult{}, err
		}
		for _, line := range lines {
			why = strings.TrimSpace(failed[line] + "\n" + why)
		}
		broke, _, err := suite{o.job}.run(ctx, head)
		why = strings.TrimSpace(broke + "\n" + why)
		return iterationResult{Met: met, OK: why == "", Why: why}, err
	})
}

// findImprovements asks the scanner for improvements, most urgent first. Unmet global criteria come
// before them.
func (o outer) findImprovements(ctx context.Context, n int) ([]finding, error) {
	var said struct {
		Findings []finding `json:"findings"`
	}
	now, err := o.tree.Repo().Head()
	if err != nil {
		return nil, err
	}
	diff, cut, err := o.tree.Diff(ctx, o.run.now().Base, now, maxDiff)
	if err != nil {
		return nil, err
	}
	a, err := o.askJudge(ctx, question{name: fmt.Sprint("scan-", n), kind: workflowstate.Scanner, round: n, Task: agent.Task{
		Role: agent.Scan, ReadOnly: true, Prompt: prompt.Render("scan", textValues{"Scanned": o.Task, "Diff": diff, "Cut": cut, "Most": mostFindings})}})
	if err != nil {
		return nil, err
	}
	a.Read(&said)
	slices.SortStableFunc(said.Findings, func(x, y finding) int { return urgency(x.Priority) - urgency(y.Priority) })
	list := said.Findings[:min(len(said.Findings), mostFindings)]
	if o.why != "" {
		list = append([]finding{{Title: "Meet the success criteria: " + o.why, Priority: "S0"}}, list...)
	}
	return list, nil
}

// urgency ranks a priority such as S1, P1, 1 or critical. Unknown ones come last.
func urgency(priority string) int {
	p := strings.ToLower(strings.TrimSpace(priority))
	if at := slices.Index([]string{"critical", "high", "medium", "low"}, p); at >= 0 {
		return at + 1
	}
	if n, err := strconv.Atoi(strings.TrimLeft(p, "sp")); err == nil && n >= 0 && n < 100 {
		return n
	}
	return 100
}

const committed = "committed "

// improvement makes one improvement. Commands of the document that pass must keep passing.
func (o outer) improvement(ctx context.Context, name string, n int, f finding) (result string, err error) {
	c := change{what: "the improvement «" + text.Opening(f.Title) + "»", guards: o.run.plan().Commands()}
	c.question = question{name: name, kind: workflowstate.OuterRalph, round: n, Task: agent.Task{
		Role: agent.Fix, Prompt: prompt.Render("code", o.run.aboutTests(textValues{"Task": o.Task, "Finding": f}))}}
	c.keep = func() (string, error) {
		hash, err := o.commitFix(ctx, name, "refactor", f.Title)
		if err != nil || hash == "" {
			return "nothing was changed", err
		}
		return committed + text.Hash(hash), nil
	}
	return verifier(o).tryChange(ctx, c)
}
