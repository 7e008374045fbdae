package workflow

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/core/workflow"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

// mostFindings bounds what one look of the scanner can bring.
const mostFindings = 5

// finding is an improvement that a scanner names, or a criterion that is not met.
type finding struct {
	Title    string   `json:"title"`
	Priority string   `json:"priority"`
	Files    []string `json:"files"`
}

// outer is the outer loop: a scanner lists improvements, each is made, tested and
// committed apart; then the global criteria are verified, and what there is goes
// where the level says.
type outer struct{ *job }

func (r phases) reviewing(ctx context.Context) error {
	r.bounds.Share(1)
	m, _, err := r.memory(workflow.OuterTask, r.now().LastCheckpoint())
	if err != nil {
		return err
	}
	d := r.plan()
	j := outer{&job{site: r.home, mem: m, Task: taskdoc.Task{ID: workflow.OuterTask, Name: d.Title, Description: d.Goal, Criteria: d.Criteria}}}
	for _, t := range r.now().CompletedTasks {
		j.Files = append(j.Files, t.FilesModified...)
	}
	slices.Sort(j.Files)
	j.Files = slices.Compact(j.Files)
	m.Facts[factBase], m.Facts[factHead] = r.now().Base, r.now().Base
	before, err := m.Fact("metrics-before", func() (string, error) { return j.metrics(ctx) })
	if err != nil {
		return err
	}
	met, why, err := j.polish(ctx)
	if err != nil {
		return err
	}
	if why != "" {
		return r.update("failed", func(s *workflow.State) error {
			return s.Fire(workflow.GaveUp, "the global success criteria are not met: "+text.Opening(why), "", r.Now())
		})
	}
	after, err := m.Fact("metrics-after", func() (string, error) { return j.metrics(ctx) })
	if err != nil {
		return err
	}
	l := &landing{outer: j, met: met, before: before, after: after}
	if err := l.integrate(ctx); err != nil {
		return err
	}
	if err := r.write(Folder+"/report.md", []byte(l.report())); err != nil { // a rebase has given commits other names
		return err
	}
	if err := r.remote.Check(ctx, r.home.refs[0]); err != nil {
		return err
	}
	if err := r.update("outer_done", func(s *workflow.State) error { return s.Fire(workflow.OuterDone, "", "", r.Now()) }); err != nil {
		return err
	}
	m.Forget()
	r.leave(ctx)
	return nil
}

// leave goes back to the branch that was checked out before the workflow: its own
// is merged or waits for its review, and no place for a person to be. A workflow of
// an earlier version works on the person's own branch, and stays there.
func (r phases) leave(ctx context.Context) {
	s := r.now()
	if s.BeganOn == "" || s.BeganOn == s.Branch {
		return
	}
	if err := r.Work.Branch(ctx, s.BeganOn, ""); err != nil {
		r.remark("%s stays checked out: %v", s.Branch, err)
	}
}

// polish goes through the rounds of the outer loop, until nothing is found any more
// or their number is reached. The global criteria are verified before it and after
// each round that has changed something. Why says what is not met in the end.
func (j outer) polish(ctx context.Context) (met workflow.Criteria, why string, err error) {
	rounds := 0
	if loop := j.plan().OuterLoop; loop.Enabled {
		rounds = loop.Iterations
	}
	t, err := j.global(ctx, 0)
	for n := 1; err == nil && n <= rounds; n++ {
		j.why = t.Why
		if err = j.update("iteration_began", func(s *workflow.State) error { s.IterationBegun(j.ID, n); return nil }); err != nil {
			break
		}
		var found, kept int
		if found, kept, err = j.improve(ctx, n); err != nil || found == 0 {
			break
		}
		if kept > 0 {
			t, err = j.global(ctx, n)
		}
	}
	return t.Met, t.Why, err
}

// improve has the scanner look once, and makes what it names, one after the
// other. What was wrong with the global criteria comes first.
func (j outer) improve(ctx context.Context, n int) (found, kept int, err error) {
	list, err := step.Found(j.mem, fmt.Sprint("findings-", n), func() ([]finding, error) { return j.scan(ctx, n) })
	for i, f := range list {
		if err != nil {
			break
		}
		var held bool
		if held, err = j.improvement(ctx, fmt.Sprintf("improve-%d-%d", n, i+1), n, f); held {
			kept++
		}
	}
	return len(list), kept, err
}

// scan asks the scanner for improvements, the most urgent first.
func (j outer) scan(ctx context.Context, n int) ([]finding, error) {
	a, err := j.ask(ctx, question{name: fmt.Sprint("scan-", n), kind: workflow.Scanner, round: n, Task: agent.Task{Role: agent.Scan, ReadOnly: true, Prompt: fmt.Sprintf(
		`You look for what should be improved in the work of a workflow, «%s», before it is handed in. You change nothing.

%s
Look at what git diff %s shows, and at the code around it: wrong behaviour first, then what is not tested, then what is hard to change, then what is not said. Name only what you would defend in review, at most %d. Give one JSON object as your result:
{"findings": [{"title": "what to do", "priority": "S1", "files": ["path"]}]}
`, j.Name, outline(j.Task), text.Hash(j.now().Base), mostFindings)}})
	if err != nil {
		return nil, err
	}
	var said struct {
		Findings []finding `json:"findings"`
	}
	a.Read(&said)
	slices.SortStableFunc(said.Findings, func(x, y finding) int { return urgency(x.Priority) - urgency(y.Priority) })
	list := said.Findings[:min(len(said.Findings), mostFindings)]
	if j.why != "" {
		list = append([]finding{{Title: "Meet the success criteria: " + j.why, Priority: "S0"}}, list...)
	}
	return list, nil
}

// urgency is the place of a priority: S1 or P1, 1, critical. What is not known
// comes last.
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

// improvement makes one, and takes it back when something fails then that did
// not before.
func (j outer) improvement(ctx context.Context, name string, n int, f finding) (kept bool, err error) {
	if _, err := j.mem.Fact(name+treeOf, j.snapshot); err != nil {
		return false, err
	}
	passing, err := j.passing(ctx, name, j.commands())
	if err != nil {
		return false, err
	}
	a, err := j.ask(ctx, question{name: name, kind: workflow.OuterRalph, round: n, Task: agent.Task{Role: agent.Fix, Prompt: fmt.Sprintf(
		"Make one improvement to the work of a workflow, «%s», and nothing else. What it is, and its files:\n%s\nDo not commit, and do not weaken tests. Give one JSON object as your result: {\"summary\": \"what you did\"}\n",
		j.Name, untrusted.Fence(f.Title+"\n"+strings.Join(f.Files, "\n")))}})
	if err != nil {
		return false, err
	}
	came, err := j.mem.Fact(name, func() (string, error) {
		if a.Failed() {
			return "the agent's run came to nothing", j.takeBack(ctx, name)
		}
		said, err := j.broken(ctx, name, "", n, passing)
		if err != nil {
			return "", err
		}
		if said != "" {
			j.remark("an improvement was taken back, as then this failed: %s", text.Opening(said))
			return "taken back", j.takeBack(ctx, name)
		}
		hash, err := j.commitAs(ctx, name+treeOf, "refactor: "+subject(f.Title), j.trailer(trailerFix, j.ID, name))
		if err != nil || hash == "" {
			return "nothing was changed", err
		}
		return committed + text.Hash(hash), nil
	})
	return strings.HasPrefix(came, committed), err
}

const committed = "committed "

// commands are all that the document runs: what any of them has reached is not to
// be lost again.
func (j outer) commands() []string {
	lines := append(j.verification(), runs(j.Criteria)...)
	for _, t := range j.plan().Tasks() {
		lines = append(lines, runs(t.Criteria)...)
	}
	return lines
}

// global verifies the global criteria, and runs the verification commands, once in
// a round.
func (j outer) global(ctx context.Context, n int) (turn, error) {
	return step.Found(j.mem, fmt.Sprint("global-", n), func() (turn, error) {
		met, why, err := j.verify(ctx, fmt.Sprint("verify-", n), n, j.Criteria)
		if err != nil {
			return turn{}, err
		}
		err = j.running(ctx, "", func() error {
			for _, line := range j.verification() {
				said, ok, err := j.try(ctx, line)
				if err != nil {
					return err
				}
				if !ok {
					why = strings.TrimSpace(said + "\n" + why)
				}
			}
			broke, _, err := j.suite(ctx, j.dir)
			why = strings.TrimSpace(broke + "\n" + why)
			return err
		})
		return turn{met, why == "", why}, err
	})
}
