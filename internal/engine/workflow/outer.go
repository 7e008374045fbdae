package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/untrusted"
	"warp/internal/core/workflow"
	"warp/internal/engine/agent"
)

// mostFindings bounds what one look of the scanner can bring.
const mostFindings = 5

// finding is an improvement that a scanner names, or a criterion that is not met.
type finding struct {
	Title    string   `json:"title"`
	Priority string   `json:"priority"`
	Files    []string `json:"files"`
}

// reviewing is the outer loop: a scanner lists improvements, each is made, tested
// and committed apart; then the global criteria are verified, and what there is
// goes where the level says.
func (r *run) reviewing(ctx context.Context) error {
	r.purse.share(1)
	m, _, err := r.remember(workflow.OuterTask, r.now().LastCheckpoint())
	if err != nil {
		return err
	}
	d := r.plan()
	j := &job{run: r, mem: m, tree: r.Work, dir: r.Root, Task: taskdoc.Task{ID: workflow.OuterTask, Name: d.Title, Description: d.Goal, Criteria: d.Criteria}}
	for _, t := range r.now().CompletedTasks {
		j.Files = append(j.Files, t.FilesModified...)
	}
	slices.Sort(j.Files)
	j.Files = slices.Compact(j.Files)
	if m.Base == "" {
		m.Base, m.Head = r.now().Base, r.now().Base
		if err := m.save(); err != nil {
			return err
		}
	}
	before, err := j.mem.fact("metrics-before", func() (string, error) { return j.metrics(ctx) })
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
	after, err := j.mem.fact("metrics-after", func() (string, error) { return j.metrics(ctx) })
	if err != nil {
		return err
	}
	verified, err := j.mem.fact("verified", j.tree.Repo().Head)
	if err != nil {
		return err
	}
	if err := j.integrate(ctx, r.report(met, before, after), verified); err != nil {
		return err
	}
	if err := r.write(Folder+"/report.md", []byte(r.report(met, before, after))); err != nil { // a rebase has given commits other names
		return err
	}
	if err := r.update("outer_done", func(s *workflow.State) error { return s.Fire(workflow.OuterDone, "", "", r.Now()) }); err != nil {
		return err
	}
	m.forget()
	return nil
}

// polish goes through the rounds of the outer loop, until nothing is found any more
// or their number is reached. The global criteria are verified before it and after
// each round that has changed something. Why says what is not met in the end.
func (j *job) polish(ctx context.Context) (met workflow.Criteria, why string, err error) {
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
func (j *job) improve(ctx context.Context, n int) (found, kept int, err error) {
	text, err := j.mem.fact(fmt.Sprint("findings-", n), func() (string, error) {
		list, err := j.scan(ctx, n)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(list)
		return string(text), err
	})
	var list []finding
	if err == nil {
		err = json.Unmarshal([]byte(text), &list)
	}
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
func (j *job) scan(ctx context.Context, n int) ([]finding, error) {
	a, err := j.ask(ctx, fmt.Sprint("scan-", n), workflow.Scanner, n, "", agent.Task{Role: agent.Scan, ReadOnly: true, Dir: j.dir, Prompt: fmt.Sprintf(
		`You look for what should be improved in the work of a workflow, «%s», before it is handed in. You change nothing.

%s
Look at what git diff %s shows, and at the code around it: wrong behaviour first, then what is not tested, then what is hard to change, then what is not said. Name only what you would defend in review, at most %d. Give one JSON object as your result:
{"findings": [{"title": "what to do", "priority": "S1", "files": ["path"]}]}
`, j.Name, outline(j.Task), text.Hash(j.mem.Base), mostFindings)})
	if err != nil {
		return nil, err
	}
	var said struct {
		Findings []finding `json:"findings"`
	}
	a.read(&said)
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
func (j *job) improvement(ctx context.Context, step string, n int, f finding) (kept bool, err error) {
	base, err := j.mem.fact(step+"-tree", func() (string, error) { return snapshot(j.tree) })
	if err != nil {
		return false, err
	}
	passing, err := j.passing(ctx, step, j.commands())
	if err != nil {
		return false, err
	}
	a, err := j.ask(ctx, step, workflow.OuterRalph, n, "", agent.Task{Role: agent.Fix, Dir: j.dir, Prompt: fmt.Sprintf(
		"Make one improvement to the work of a workflow, «%s», and nothing else. What it is, and its files:\n%s\nDo not commit, and do not weaken tests. Give one JSON object as your result: {\"summary\": \"what you did\"}\n",
		j.Name, untrusted.Fence(f.Title+"\n"+strings.Join(f.Files, "\n")))})
	if err != nil {
		return false, err
	}
	came, err := j.mem.fact(step, func() (string, error) {
		if a.End != agent.Done {
			return "the agent's run came to nothing", j.takeBack(ctx, base)
		}
		said, err := j.broken(ctx, step, "", n, passing)
		if err != nil {
			return "", err
		}
		if said != "" {
			j.remark("an improvement was taken back, as then this failed: %s", text.Opening(said))
			return "taken back", j.takeBack(ctx, base)
		}
		hash, err := j.commitAs(ctx, base, fmt.Sprintf("refactor: %s\n\n%s\n", subject(f.Title), j.trailer(trailerFix, j.ID, step)))
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
func (j *job) commands() []string {
	lines := append(j.verification(), runs(j.Criteria)...)
	for _, t := range j.plan().Tasks() {
		lines = append(lines, runs(t.Criteria)...)
	}
	return lines
}

// global verifies the global criteria, and runs the verification commands, once in
// a round.
func (j *job) global(ctx context.Context, n int) (t turn, err error) {
	text, err := j.mem.fact(fmt.Sprint("global-", n), func() (string, error) {
		met, why, err := j.verify(ctx, fmt.Sprint("verify-", n), n, j.Criteria)
		for _, line := range j.verification() {
			said, ok := "", false
			if err == nil {
				said, ok, err = j.command(ctx, j.dir, line)
			}
			if err == nil && !ok {
				why = strings.TrimSpace(said + "\n" + why)
			}
		}
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(turn{met, why == "", why})
		return string(text), err
	})
	if err == nil {
		err = json.Unmarshal([]byte(text), &t)
	}
	return t, err
}
