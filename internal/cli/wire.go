package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/checkpointcmd"
	"warp/internal/cli/control"
	"warp/internal/cli/cost"
	"warp/internal/cli/doctor"
	"warp/internal/cli/evidencecmd"
	"warp/internal/cli/inboxcmd"
	"warp/internal/cli/initcmd"
	"warp/internal/cli/learnings"
	"warp/internal/cli/level"
	"warp/internal/cli/logcmd"
	"warp/internal/cli/next"
	"warp/internal/cli/queue"
	"warp/internal/cli/report"
	"warp/internal/cli/settings"
	"warp/internal/cli/state"
	"warp/internal/cli/status"
	"warp/internal/cli/telemetrycmd"
	"warp/internal/cli/trustcmd"
	"warp/internal/cli/version"
)

// Command is one command, made when it is wanted: making costs, and every start
// pays.
type Command struct {
	Name string
	Make func(*app.App) *cobra.Command
}

// commands are the commands of warp.
var commands = []Command{
	{"agent", netCommand("agent", "Run a coding agent once, or see which ones work here")},
	{"answer", inboxcmd.Answer},
	{"ask", inboxcmd.NewAsk},
	{"checkpoint", checkpointcmd.New},
	{"clean", netCommand("clean", "Find what drives and sessions left behind, and remove what is no longer needed")},
	{"config", settings.New},
	{"continue", control.Continue},
	{"cost", cost.New},
	{"demo", netCommand("demo", "Drive an issue to merged in a throw-away repository, without a model or a network")},
	{"dev", netCommand("dev", "Bring the dev environment of dev.json up, check it, take it down")},
	{"docs", netCommand("docs", "Compare the documentation with the code: audit, sync")},
	{"doctor", doctor.New},
	{"drive", netCommand("drive", "Drive approved issues to merged, unattended, with evidence")},
	{"evidence", evidencecmd.New},
	{"graph", newGraphCommand},
	{"hook", newHookCommand},
	{"inbox", inboxcmd.New},
	{"init", initcmd.New},
	{"issue", netCommand("issue", "Work with issues: list, show, new, draft, lint, edit, approve, check, criteria, close")},
	{"learnings", learnings.New},
	{"level", level.New},
	{"locks", netCommand("locks", "List session locks, and remove those of dead processes")},
	{"log", logcmd.New},
	{"loop", netCommand("loop", "Run an agent again and again, until it is done")},
	{"mcp", netCommand("mcp", "Offer next, status, ask, inbox, issues and evidence to an agent as MCP tools")},
	{"next", next.New},
	{"override", control.Override},
	{"pause", control.Pause},
	{"pipeline", netCommand("pipeline", "Run the stages of a pipeline file: run, lint, list")},
	{"queue", queue.New},
	{"quickstart", netCommand("quickstart", "Set the project up and start a first night, with few questions")},
	{"rdb", netCommand("rdb", "Remote decisions: progress and questions over Telegram, a webhook or ntfy")},
	{"recover", netCommand("recover", "Restore a drive whose work tree, branch or machine was lost")},
	{"report", report.New},
	{"resume", netCommand("resume", "Resume a drive that was interrupted, killed or parked")},
	{"sandbox", netCommand("sandbox", "Run a command as agents are run here, or see what is visible to them")},
	{"secrets", newSecretsCommand},
	{"sessions", netCommand("sessions", "Show, follow, stop and resume sessions: loops and pipelines")},
	{"state", state.New},
	{"status", status.New},
	{"stop", control.Stop},
	{"telemetry", telemetrycmd.New},
	{"test", netCommand("test", "Run the project's tests as a drive does: in a clean room, compared with the old tests")},
	{"token", newTokenCommand},
	{"trust", trustcmd.New},
	{"version", version.New},
	{"workflow", netCommand("workflow", "Execute a task document: phases of tasks, under a supervisor")},
}

// named returns the command that a command line names, or all of them when it
// names none. More stand in for those of the same name.
func named(a *app.App, args []string, more []Command) []*cobra.Command {
	list := slices.Clone(commands)
	for _, m := range more {
		i := slices.IndexFunc(list, func(c Command) bool { return c.Name == m.Name })
		list[i] = m
	}
	var all []*cobra.Command
	for _, c := range list {
		if len(args) > 0 && args[0] == c.Name {
			return []*cobra.Command{c.Make(a)}
		}
	}
	for _, c := range list {
		all = append(all, c.Make(a))
	}
	return all
}
