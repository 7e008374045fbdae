package workflowcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/notify"
	"warp/internal/engine/place"
	"warp/internal/engine/policy/workflow"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func status(a *app.App) *cobra.Command {
	return a.WithJSON("print agent-state.json", &cobra.Command{
		Use: "status", Short: "Show where the workflow is",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			v, err := readState(a, d)
			if err != nil {
				return err
			}
			pid := runningPID(a, d)
			// Agents of a dead process have ended, and the time of a live one continues.
			v.Doc.ActiveAgents.RemoveGone(func(g workflowstate.Agent) bool { return g.Status == workflowstate.Blocked || pid != 0 && g.PID == pid })
			if bounds := &v.Doc.SafetyBounds; pid != 0 {
				bounds.RaiseElapsed(bounds.ElapsedBy(a.Env.Now()))
			}
			if a.AsJSON {
				a.Printf("%s", workflowstate.Print(v.Doc, v.Tree))
				return nil
			}
			show(a, v.Doc, pid)
			return showPull(ctx, a, d, v.Doc)
		}),
	})
}

// agentLine describes what an agent does.
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
		cost := t.Cost
		if t.Unpriced > 0 {
			cost = workflowstate.CostText(t.MicroUSD, t.Unpriced)
		}
		rows = append(rows, []string{t.Task + " " + render.Printable(t.Name), "done", fmt.Sprint(t.Iterations), t.TimeElapsed, cost, text.Hash(t.Commit)})
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
		a.Printf("\nsupervisor: %s, %s\n", text.Count(s.Supervisor.ChecksPerformed, "check"), text.Count(s.Supervisor.ConflictsDetected, "conflict"))
		for _, i := range s.Supervisor.Interventions[max(0, n-5):] {
			a.Printf("  %s %s %s (%s): %s, %s\n", i.CheckType, i.Task, i.ConflictType, i.Severity, i.Action, render.Printable(i.Resolution))
		}
	}
}

// messageKinds maps notes to the notifications they send.
var messageKinds = map[string]string{
	workflow.Phased: notify.Phase, workflow.TaskBegan: notify.Phase, workflow.TaskEnded: notify.Phase, workflow.Committed: notify.Commit,
	workflow.Intervened: notify.Remark, workflow.Warned: notify.Remark, workflow.Paused: notify.Person,
}

// message returns the notification for a note; false if it needs none.
func message(n workflow.Note) (notify.Message, bool) {
	kind, ok := messageKinds[n.Kind]
	about := "workflow"
	if n.Task != "" {
		about += " " + n.Task
	}
	return notify.Message{Kind: kind, Text: fmt.Sprintf("%s%s: %s", notify.Prefix, about, text.OneLine(n.Text))}, ok
}

// endMessage returns the notification for the workflow's end; false if a person stopped it, it did
// not begin, or it paused, which was notified before.
func endMessage(s *workflowstate.State, err error) (notify.Message, bool) {
	switch {
	case app.IsA[*workflow.PausedError](err), app.IsA[*workflow.NothingError](err), app.IsA[*workflow.EditedError](err), app.IsA[*durable.LockedError](err), errors.Is(err, context.Canceled):
		return notify.Message{}, false
	case err != nil:
		return notify.Message{Kind: notify.Failed, Text: notify.Prefix + "workflow: " + err.Error()}, true
	case s == nil:
		return notify.Message{}, false
	case s.Orchestrator.Status == workflowstate.Failed:
		return notify.Message{Kind: notify.Failed, Text: notify.Prefix + "workflow " + endLine(s)}, true
	}
	return notify.Message{Kind: notify.End, Text: notify.Prefix + "workflow " + endLine(s)}, true
}
