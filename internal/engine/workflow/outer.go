package workflow

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/taskdoc"
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
	m, err := r.remember(workflow.OuterTask)
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
	rounds := 0
	if d.OuterLoop.Enabled {
		rounds = d.OuterLoop.Iterations
	}
	var met workflow.Criteria
	for n := 1; ; n++ {
		if n <= rounds {
			if err := j.improve(ctx, n); err != nil {
				return err
			}
		}
		var why string
		if met, why, err = j.global(ctx, n); err != nil {
			return err
		}
		j.why = why
		if why == "" && (n >= rounds || j.mem.Facts[fmt.Sprint("found-", n)] == "0") {
			break
		}
		if why != "" && n > rounds {
			return r.update("failed", func(s *workflow.State) error {
				return s.Fire(workflow.GaveUp, "the global success criteria are not met: "+opening(why), "", r.Now())
			})
		}
	}
	after, err := j.mem.fact("metrics-after", func() (string, error) { return j.metrics(ctx) })
	if err != nil {
		return err
	}
	report := r.report(met, before, after)
	if err := r.write(folder+"/report.md", []byte(report)); err != nil {
		return err
	}
	if err := r.integrate(ctx, report); err != nil {
		return err
	}
	if err := r.update("outer_done", func(s *workflow.State) error { return s.Fire(workflow.OuterDone, "", "", r.Now()) }); err != nil {
		return err
	}
	m.forget()
	return nil
}

// improve has the scanner look once, and makes what it names, one after the
// other. What was wrong with the global criteria comes first.
func (j *job) improve(ctx context.Context, n int) error {
	a, err := j.mem.ask(ctx, fmt.Sprint("scan-", n), workflow.Scanner, n, "", agent.Task{Role: agent.Scan, ReadOnly: true, Dir: j.dir, Prompt: fmt.Sprintf(
		`You look for what should be improved in the work of a workflow, «%s», before it is handed in. You change nothing.

%s
Look at what git diff %s shows, and at the code around it: wrong behaviour first, then what is not tested, then what is hard to change, then what is not said. Name only what you would defend in review, at most %d. Give one JSON object as your result:
{"findings": [{"title": "what to do", "priority": "S1", "files": ["path"]}]}
`, j.Name, outline(j.Task), short(j.mem.Base), mostFindings)})
	if err != nil {
		return err
	}
	var said struct {
		Findings []finding `json:"findings"`
	}
	a.read(&said)
	slices.SortStableFunc(said.Findings, func(x, y finding) int { return strings.Compare(x.Priority, y.Priority) })
	list := said.Findings[:min(len(said.Findings), mostFindings)]
	if j.why != "" {
		list = append([]finding{{Title: "Meet the success criteria: " + j.why, Priority: "S0"}}, list...)
	}
	for i, f := range list {
		if err := j.improvement(ctx, fmt.Sprintf("improve-%d-%d", n, i+1), f); err != nil {
			return err
		}
	}
	_, err = j.mem.fact(fmt.Sprint("found-", n), func() (string, error) { return fmt.Sprint(len(list)), nil })
	return err
}

// improvement makes one, and takes it back when something fails then that did
// not before.
func (j *job) improvement(ctx context.Context, step string, f finding) error {
	base, err := j.mem.fact(step+"-tree", func() (string, error) { return snapshot(j.tree) })
	if err != nil {
		return err
	}
	a, err := j.mem.ask(ctx, step, workflow.OuterRalph, 1, "", agent.Task{Role: agent.Fix, Dir: j.dir, Prompt: fmt.Sprintf(
		"Make one improvement to the work of a workflow, «%s», and nothing else:\n%s\nFiles: %s\nDo not commit, and do not weaken tests. Give one JSON object as your result: {\"summary\": \"what you did\"}\n",
		j.Name, untrusted.Fence(f.Title), strings.Join(f.Files, ", "))})
	if err != nil {
		return err
	}
	_, err = j.mem.fact(step, func() (string, error) {
		if a.End != agent.Done {
			return "the agent's run came to nothing", j.takeBack(ctx, base)
		}
		if said, ok, err := j.sound(ctx); err != nil || !ok {
			if err == nil {
				j.remark("an improvement was taken back, as then this failed: %s", opening(said))
				err = j.takeBack(ctx, base)
			}
			return "taken back", err
		}
		hash, _, err := j.commitAs(ctx, base, fmt.Sprintf("refactor: %s\n\n%s: %s\n", opening(f.Title), trailerFix, j.trailer(step)))
		return "committed " + short(hash), err
	})
	return err
}

// sound runs the document's verification commands.
func (j *job) sound(ctx context.Context) (said string, ok bool, err error) {
	for _, c := range j.plan().Verification {
		if said, ok, err = j.command(ctx, j.dir, c.Run); err != nil || !ok {
			return said, false, err
		}
	}
	return "", true, nil
}

// global verifies the global criteria, and runs the verification commands.
func (j *job) global(ctx context.Context, n int) (workflow.Criteria, string, error) {
	said, ok, err := j.sound(ctx)
	if err != nil {
		return nil, "", err
	}
	met, why, err := j.verify(ctx, n, j.Criteria)
	if err == nil && !ok {
		why = strings.TrimSpace(said + "\n" + why)
	}
	return met, why, err
}

// metrics are figures of the work, to be compared.
func (j *job) metrics(ctx context.Context) (string, error) {
	passed := 0
	list := j.plan().Verification
	for _, c := range list {
		_, ok, err := j.command(ctx, j.dir, c.Run)
		if err != nil {
			return "", err
		}
		if ok {
			passed++
		}
	}
	now, err := snapshot(j.tree)
	if err != nil {
		return "", err
	}
	st, err := j.tree.Stat(ctx, j.now().Base, now)
	return fmt.Sprintf("%d of %d verification commands pass; %d files changed, +%d -%d lines", passed, len(list), st.Files, st.Insertions, st.Deletions), err
}

// report is the account of a workflow.
func (r *run) report(met workflow.Criteria, before, after string) string {
	d, s := r.plan(), r.now()
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", d.Title)
	if d.Goal != "" {
		fmt.Fprintf(&b, "%s\n\n", d.Goal)
	}
	b.WriteString("## Success criteria\n")
	for i, c := range d.Criteria {
		box := " "
		if i < len(met) && met[i].Met {
			box = "x"
		}
		fmt.Fprintf(&b, "- [%s] %s\n", box, c.Text)
	}
	b.WriteString("\n## Tasks\n\n| task | iterations | time | cost | commit |\n| --- | --- | --- | --- | --- |\n")
	for _, t := range s.CompletedTasks {
		fmt.Fprintf(&b, "| %s %s | %d | %s | %s | %s |\n", t.Task, strings.ReplaceAll(t.Name, "|", "\\|"), t.Iterations, t.TimeElapsed, t.Cost, short(t.Commit))
	}
	fmt.Fprintf(&b, "\n## Outer loop\n\n- before: %s\n- after: %s\n", before, after)
	fmt.Fprintf(&b, "\n## Supervisor\n\n%d checks, %d conflicts, %d mended, %d times planned anew\n", s.Supervisor.ChecksPerformed, s.Supervisor.ConflictsDetected, s.Supervisor.AutoFixesApplied, s.Supervisor.RePlansTriggered)
	fmt.Fprintf(&b, "\nCost so far: %s\n", s.SafetyBounds.CostSoFar)
	return r.Redact(b.String())
}
