package workflowcmd

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/place"
	"warp/internal/engine/policy/workflow"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func status(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "status", Short: "Show where the workflow is", Args: cobra.NoArgs,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			v, err := read(a, d)
			if err != nil {
				return err
			}
			pid := running(a, d)
			refreshState(v.Doc, pid, a.Env.Now())
			if asJSON {
				a.Printf("%s", workflowstate.Print(v.Doc, v.Tree))
				return nil
			}
			show(a, v.Doc, pid)
			return showPull(ctx, a, d, v.Doc)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print agent-state.json")
	return c
}

// refreshState makes a state that was read that of this moment: its time runs on while a
// process runs it, and agents whose process is gone have ended.
func refreshState(s *workflowstate.State, pid int, now time.Time) {
	s.ActiveAgents.RemoveGone(func(a workflowstate.Agent) bool { return a.Status == workflowstate.Blocked || pid != 0 && a.PID == pid })
	if pid != 0 {
		s.SafetyBounds.RaiseElapsed(s.SafetyBounds.ElapsedBy(now))
	}
}

// agentLine says what an agent does.
func agentLine(g workflowstate.Agent) string {
	text := fmt.Sprintf("%s of %s: %s", g.Type, g.Task, strings.ReplaceAll(g.Status, "_", " "))
	if g.Why != "" {
		text += ": " + g.Why
	}
	if g.Until != "" {
		text += ", until " + render.Seconds(g.Until)
	}
	return render.Printable(text)
}

func show(a *app.App, s *workflowstate.State, pid int) {
	o := s.Orchestrator
	a.Printf("%s: %s\n", filepath.Base(o.TaskDoc), endLine(s))
	switch {
	case s.Paused != nil:
		a.Printf("paused since %s: %s\n", render.Seconds(s.Paused.At), render.Printable(s.Paused.Why))
	case pid != 0:
		a.Printf("process %d runs it: phase %d of %d, task %s, iteration %d\n", pid, o.CurrentPhase+1, o.TotalPhases, o.CurrentTask, o.RalphIteration)
	case !o.Status.Ended():
		a.Printf("no process runs it: warp workflow resume continues it\n")
	}
	if s.Place != "" && !o.Status.Ended() {
		a.Printf("work tree %s, branch %s\n", place.Folder+"/"+s.Place, s.Branch)
	}
	for _, g := range s.ActiveAgents {
		a.Printf("%s\n", agentLine(g))
	}
	for _, w := range s.SafetyBounds.Warnings {
		a.Printf("warning: %s\n", render.Printable(w))
	}
	if left := workflow.Unfiled(s); left != "" {
		a.Printf("%s\n", render.Printable(left))
	}
	rows := [][]string{{"TASK", "", "ITERATIONS", "TIME", "COST", "COMMIT"}}
	for _, t := range s.CompletedTasks {
		rows = append(rows, []string{t.Task + " " + render.Printable(t.Name), "done", fmt.Sprint(t.Iterations), t.TimeElapsed, t.Cost, text.Hash(t.Commit)})
	}
	for _, t := range s.PendingTasks {
		what := "pending"
		if t.Began != "" {
			what = "at work"
		}
		rows = append(rows, []string{t.Task + " " + render.Printable(t.Name), what, fmt.Sprint(t.Iterations), "", "", ""})
	}
	a.Printf("\n")
	render.Table(a.Out, rows)
	if n := len(s.Supervisor.Interventions); n > 0 {
		a.Printf("\nsupervisor: %d checks, %d conflicts\n", s.Supervisor.ChecksPerformed, s.Supervisor.ConflictsDetected)
		for _, i := range s.Supervisor.Interventions[max(0, n-5):] {
			a.Printf("  %s %s %s (%s): %s, %s\n", i.CheckType, i.Task, i.ConflictType, i.Severity, i.Action, render.Printable(i.Resolution))
		}
	}
}
