package workflow

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/text"
)

// metrics are figures of the work, to be compared.
func (j outer) metrics(ctx context.Context) (string, error) {
	passed := 0
	list := j.verification()
	err := j.running(ctx, "", func() error {
		for _, line := range list {
			_, ok, err := j.try(ctx, line)
			if err != nil {
				return err
			}
			if ok {
				passed++
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	head, err := j.tree.Repo().Head()
	if err != nil {
		return "", err
	}
	st, err := j.tree.Stat(ctx, j.now().Base, head)
	return fmt.Sprintf("%d of %d verification commands pass; %d files changed, +%d -%d lines", passed, len(list), st.Files, st.Insertions, st.Deletions), err
}

// report is the account of a workflow. Tests that fail come first.
func (l *landing) report() string {
	d, s := l.plan(), l.now()
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", d.Title)
	if len(l.red) > 0 {
		fmt.Fprintf(&b, "**The test suite is red, as it was before this work. Failing: %s**\n\n", text.Quote(l.red, 10))
	}
	if d.Goal != "" {
		fmt.Fprintf(&b, "%s\n\n", d.Goal)
	}
	b.WriteString("## Success criteria\n")
	for i, c := range d.Criteria {
		box := " "
		if i < len(l.met) && l.met[i].Met {
			box = "x"
		}
		fmt.Fprintf(&b, "- [%s] %s\n", box, c.Text)
	}
	b.WriteString("\n## Tasks\n\n| task | iterations | time | cost | commit |\n| --- | --- | --- | --- | --- |\n")
	for _, t := range s.CompletedTasks {
		fmt.Fprintf(&b, "| %s %s | %d | %s | %s | %s |\n", t.Task, strings.ReplaceAll(t.Name, "|", "\\|"), t.Iterations, t.TimeElapsed, t.Cost, text.Hash(t.Commit))
	}
	fmt.Fprintf(&b, "\n## Outer loop\n\n- before: %s\n- after: %s\n", l.before, l.after)
	fmt.Fprintf(&b, "\n## Supervisor\n\n%d checks, %d conflicts, %d fixed, %d times planned anew\n", s.Supervisor.ChecksPerformed, s.Supervisor.ConflictsDetected, s.Supervisor.AutoFixesApplied, s.Supervisor.RePlansTriggered)
	fmt.Fprintf(&b, "\nCost so far: %s\n", s.SafetyBounds.CostSoFar)
	return l.Redact(b.String())
}
