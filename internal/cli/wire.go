package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/control"
	"warp/internal/cli/cost"
	"warp/internal/cli/inboxcmd"
	"warp/internal/cli/learnings"
	"warp/internal/cli/next"
	"warp/internal/cli/queue"
	"warp/internal/cli/report"
	"warp/internal/cli/settings"
	"warp/internal/cli/state"
	"warp/internal/cli/status"
	"warp/internal/cli/telemetrycmd"
	"warp/internal/cli/trustcmd"
)

// Command is one command. It is made on demand, because every start would pay for making all.
type Command struct {
	Name  string
	Group string
	Make  func(*app.App) *cobra.Command
}

// The groups of the help, in order.
const (
	everyday = "everyday"
	runs     = "runs"
	repairs  = "repairs"
	past     = "past"
	settled  = "settings"
	plumbing = "plumbing"
)

// groups are the groups with their headings.
var groups = []struct{ id, title string }{
	{everyday, "Every day"},
	{runs, "Other ways to run agents"},
	{repairs, "Questions, pauses and repairs"},
	{past, "What happened"},
	{settled, "Settings and safety"},
	{plumbing, "For scripts, and for a first look"},
}

// commands are the commands of warp, in the order of the help.
var commands = []Command{
	{"quickstart", everyday, netCommand("quickstart", "Set the project up and start a first night, with few questions")},
	{"issue", everyday, netCommand("issue", "Work with issues: list, show, new, draft, lint, contract, edit, approve, check, criteria, close")},
	{"drive", everyday, netCommand("drive", "Drive approved issues to merged, unattended, with evidence")},
	{"status", everyday, status.New},
	{"watch", everyday, uiCommand("watch", "Watch drives, loops, pipelines and workflows in the terminal, and control them")},
	{"answer", everyday, inboxcmd.Answer},
	{"web", everyday, uiCommand("web", "Show the project in a browser: tonight, issues, inbox, money, history, health")},
	{"log", everyday, report.NewLog},
	{"report", everyday, report.New},
	{"stop", everyday, control.Stop},
	{"resume", everyday, netCommand("resume", "Resume what was interrupted, killed, stopped or parked")},
	{"doctor", everyday, netCommand("doctor", "Check whether a night could run here, and say how to fix what prevents it")},
	{"agent", runs, netCommand("agent", "Run a coding agent once, or see which ones work here")},
	{"loop", runs, netCommand("loop", "Run an agent again and again, until it is done")},
	{"pipeline", runs, netCommand("pipeline", "Run the stages of a pipeline file: run, lint, list, show, eject")},
	{"workflow", runs, netCommand("workflow", "Execute a task document: phases of tasks, under a supervisor")},
	{"next", runs, next.New},
	{"queue", runs, queue.New},
	{"sessions", runs, netCommand("sessions", "Show, follow, stop and resume sessions: loops and pipelines")},
	{"test", runs, netCommand("test", "Run the project's tests as a drive does: in a clean room, compared with the old tests")},
	{"dev", runs, netCommand("dev", "Start, check and stop the dev environment of dev.json")},
	{"docs", runs, netCommand("docs", "Compare the documentation with the code: audit, sync")},
	{"inbox", repairs, inboxcmd.New},
	{"ask", repairs, inboxcmd.NewAsk},
	{"pause", repairs, control.Pause},
	{"continue", repairs, control.Continue},
	{"override", repairs, control.Override},
	{"checkpoint", repairs, netCommand("checkpoint", "List, show, compare, create and restore checkpoints of a workflow")},
	{"recover", repairs, netCommand("recover", "Restore a drive whose work tree, branch or machine was lost")},
	{"clean", repairs, netCommand("clean", "Find what drives and sessions left behind, and remove what is no longer needed")},
	{"locks", repairs, netCommand("locks", "List session locks, and remove those of dead processes")},
	{"cost", past, cost.New},
	{"evidence", past, report.NewEvidence},
	{"learnings", past, learnings.New},
	{"telemetry", past, telemetrycmd.New},
	{"config", settled, settings.New},
	{"init", settled, netCommand("init", "Set up hooks, slash commands and git guards; --remove undoes it")},
	{"level", settled, settings.NewLevel},
	{"rdb", settled, netCommand("rdb", "Remote decisions: progress and questions over Telegram, a webhook or ntfy")},
	{"sandbox", settled, netCommand("sandbox", "Run a command in the sandbox of agents, or show what they see")},
	{"secrets", settled, newSecretsCommand},
	{"trust", settled, trustcmd.New},
	{"token", settled, newTokenCommand},
	{"demo", plumbing, netCommand("demo", "Drive an issue to merged in a throw-away repository, without a model or network")},
	{"export", plumbing, uiCommand("export", "Send traces and metrics to an OpenTelemetry collector; warp starts it when one is set")},
	{"graph", plumbing, newGraphCommand},
	{"hook", plumbing, newHookCommand},
	{"mcp", plumbing, netCommand("mcp", "Offer next, status, ask, inbox, issues and evidence to an agent as MCP tools")},
	{"metrics", plumbing, uiCommand("metrics", "Print figures for Prometheus, or serve them")},
	{"state", plumbing, state.New},
	{"version", plumbing, app.NewVersion},
}

// selectCommands returns the command that a command line names, or all if it names none. more
// replaces those of the same name.
func selectCommands(a *app.App, args []string, more []Command) []*cobra.Command {
	list := slices.Clone(commands)
	for _, m := range more {
		i := slices.IndexFunc(list, func(c Command) bool { return c.Name == m.Name })
		list[i].Make = m.Make
	}
	if len(args) > 1 && args[0] == "help" {
		args = args[1:]
	}
	if i := slices.IndexFunc(list, func(c Command) bool { return len(args) > 0 && args[0] == c.Name }); i >= 0 {
		list = list[i : i+1]
	}
	all := make([]*cobra.Command, len(list))
	for i, c := range list {
		all[i] = c.Make(a)
		all[i].GroupID = c.Group
	}
	return all
}

// netCommand returns a command that warp leaves to warp-net.
func netCommand(name, short string) func(*app.App) *cobra.Command {
	return delegateTo((*app.App).BecomeNet, name, short)
}

// uiCommand returns a command that warp leaves to warp-ui.
func uiCommand(name, short string) func(*app.App) *cobra.Command {
	return delegateTo((*app.App).BecomeUI, name, short)
}

// delegateTo returns a command that another of our programs implements: warp becomes that program,
// with the same arguments.
func delegateTo(become func(*app.App, []string) error, name, short string) func(*app.App) *cobra.Command {
	return func(a *app.App) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short, DisableFlagParsing: true,
			RunE: func(_ *cobra.Command, args []string) error { return become(a, append([]string{name}, args...)) },
			// That program also answers the shell, since only it knows the command.
			ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
				_ = become(a, slices.Concat([]string{cobra.ShellCompRequestCmd, name}, args, []string{begun})) // without it there is nothing to offer
				return nil, cobra.ShellCompDirectiveDefault
			},
		}
	}
}

// Tree returns warp with all its commands, for man pages and completions. It must not be run.
func Tree(a *app.App, more ...Command) *cobra.Command {
	root := tree(a, nil, more)
	root.InitDefaultHelpCmd()
	return root
}

// completion is the name of cobra's own command.
const completion = "completion"

// tree returns warp with the command that a command line names, or all if it names none.
func tree(a *app.App, args []string, more []Command) *cobra.Command {
	root := command(a)
	root.AddCommand(selectCommands(a, args, more)...)
	walk(root, func(c *cobra.Command) { fillIn(c); c.Args = usage(c); a.AddSandboxFlag(c); a.Guard(c) })
	if len(args) == 0 || args[0] == completion {
		root.InitDefaultCompletionCmd()
		for _, c := range root.Commands() {
			if c.Name() == completion {
				walk(c, func(c *cobra.Command) { fillIn(c); c.Args = usage(c) })
			}
		}
	}
	return root
}

// fillIn sets the defaults: a command takes no arguments unless it says so, and one with
// subcommands explains them.
func fillIn(c *cobra.Command) {
	if c.Args == nil && !c.DisableFlagParsing {
		c.Args = cobra.NoArgs
	}
	if c.HasSubCommands() && c.RunE == nil {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		c.DisableFlagsInUseLine = true
	}
}
