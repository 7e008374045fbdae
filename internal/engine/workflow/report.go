package workflow

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/workflow"
)

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
		fmt.Fprintf(&b, "| %s %s | %d | %s | %s | %s |\n", t.Task, strings.ReplaceAll(t.Name, "|", "\\|"), t.Iterations, t.TimeElapsed, t.Cost, text.Hash(t.Commit))
	}
	fmt.Fprintf(&b, "\n## Outer loop\n\n- before: %s\n- after: %s\n", before, after)
	fmt.Fprintf(&b, "\n## Supervisor\n\n%d checks, %d conflicts, %d mended, %d times planned anew\n", s.Supervisor.ChecksPerformed, s.Supervisor.ConflictsDetected, s.Supervisor.AutoFixesApplied, s.Supervisor.RePlansTriggered)
	fmt.Fprintf(&b, "\nCost so far: %s\n", s.SafetyBounds.CostSoFar)
	return r.Redact(b.String())
}
