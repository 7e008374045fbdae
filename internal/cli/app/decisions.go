package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/engine/person"
)

// audience is who may not run a command; each value includes the ones above it.
type audience int

const (
	engines   audience = iota // agents that warp runs: the engine does it itself
	starts                    // and agent sessions, while a drive is active or an agent runs
	decisions                 // and anything that might be an agent, likewise
	always                    // and at any time
)

// restricted lists the commands that agents may not run; they need no other check. flags limits
// an entry to some uses of its command.
var restricted = []struct {
	command string
	to      audience
	what    string
	flags   []string // one must be set; "label=approved": with that value
	unless  string   // flag that makes it harmless
	args    bool     // applies only with arguments
	moves   bool     // moves a drive, which only its engine may do while that runs
}{
	{command: "trust", to: always, what: "running commands on this machine", unless: "show"},
	{command: "token", to: always, what: "the token for scripts"},
	{command: "secrets allow", to: always, what: "which values may be committed"},
	{command: "secrets forbid", to: always, what: "which values may be committed"},

	{command: "override", to: decisions, what: "an override"},
	{command: "answer", to: decisions, what: "an answer"},
	{command: "issue approve", to: decisions, what: "an approval"},
	{command: "quickstart", to: decisions, what: "an approval"},
	{command: "issue contract", to: decisions, what: "a contract", flags: []string{"text"}},
	{command: "issue edit", to: decisions, what: "an approval", flags: []string{"add-label=approved"}},
	{command: "issue new", to: decisions, what: "an approval", flags: []string{"label=approved"}},
	{command: "continue", to: decisions, what: "continuing"},
	{command: "stop", to: decisions, what: "deleting the state", flags: []string{"hard"}},
	{command: "state reset", to: decisions, what: "deleting the state", moves: true},
	{command: "doctor", to: decisions, what: "rebuilding the state", flags: []string{"rebuild"}},
	{command: "config set", to: decisions, what: "changing a setting"},
	{command: "config set", to: always, what: "changing settings of all projects", flags: []string{"user"}},
	{command: "config edit", to: decisions, what: "changing a setting"},
	{command: "config edit", to: always, what: "changing settings of all projects", flags: []string{"user"}},
	{command: "level", to: decisions, what: "the automation level", args: true},
	{command: "init", to: decisions, what: "the automation level", flags: []string{"level"}},
	{command: "rdb on", to: decisions, what: "where decisions go", flags: []string{"chat", "webhook", "ntfy"}},
	{command: "recover run", to: decisions, what: "bringing a drive back"},
	{command: "recover reset", to: decisions, what: "resetting a drive"},
	{command: "resume", to: decisions, what: "raising a limit", flags: []string{"max-cost", "max-tokens", "max-time", "fresh"}},
	{command: "sessions resume", to: decisions, what: "raising a limit", flags: []string{"max", "max-cost", "max-tokens", "max-time"}},
	{command: "workflow resume", to: decisions, what: "raising a limit", flags: []string{"max-cost", "max-time"}},
	{command: "workflow extend", to: decisions, what: "raising a limit"},
	{command: "checkpoint restore", to: decisions, what: "going back to a checkpoint"},
	{command: "learnings forget", to: decisions, what: "forgetting a lesson"},

	{command: "workflow run", to: starts, what: "running or changing a workflow"},
	{command: "workflow resume", to: starts, what: "running or changing a workflow"},
	{command: "workflow pause", to: starts, what: "running or changing a workflow"},
	{command: "workflow abort", to: starts, what: "running or changing a workflow"},

	{command: "drive", to: engines}, {command: "next", to: engines}, {command: "resume", to: engines}, {command: "stop", to: engines}, {command: "pause", to: engines},
	{command: "clean", to: engines}, {command: "init", to: engines}, {command: "rdb", to: engines}, {command: "level", to: engines},
	{command: "pipeline eject", to: engines}, // its output is signed, and later sessions obey it
	{command: "state init", to: engines}, {command: "state transition", to: engines, moves: true}, {command: "state abort", to: engines, moves: true}, {command: "state file", to: engines, moves: true},
	{command: "issue draft", to: engines}, {command: "issue new", to: engines}, {command: "issue edit", to: engines}, {command: "issue check", to: engines},
	{command: "issue criteria", to: engines}, {command: "issue close", to: engines},
}

// refusal is the error for a command that its caller may not run.
type refusal struct{ Text string }

func (e *refusal) Error() string { return e.Text }

// Guard makes a command refuse callers that may not run it.
func (a *App) Guard(c *cobra.Command) {
	run := c.RunE
	if run == nil {
		return
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := a.refuse(c, args); err != nil {
			return err
		}
		return run(c, args)
	}
}

// refuse looks up a command line in the table, and identifies the caller only on a match.
func (a *App) refuse(c *cobra.Command, args []string) error {
	_, command, _ := strings.Cut(c.CommandPath(), " ")
	to, what, moves := audience(-1), "", false
	for _, r := range restricted {
		under := strings.HasPrefix(command+" ", r.command+" ") && (r.to == engines || command == r.command)
		if under && r.to > to && (r.unless == "" || !c.Flags().Changed(r.unless)) && (!r.args || len(args) > 0) && anyFlagSet(c, r.flags) {
			to, what, moves = r.to, r.what, moves || r.moves
		}
	}
	if to < engines {
		return nil
	}
	d, err := a.Project()
	if strings.HasPrefix(command, "state ") && len(args) > 0 {
		d, err = a.At(args[0])
	}
	if err != nil {
		d = nil // some commands run anywhere; the others report it
	}
	kind, why, near := a.identifyCaller(d)
	name := "warp " + command
	switch {
	case moves && near.engine && near.pid != a.Env.PID:
		return &refusal{fmt.Sprintf("%s is refused: while the engine runs (process %d), only it moves the drive; pause it with warp pause, end it with warp stop", name, near.pid)}
	case kind == person.Person:
		return nil
	case kind == person.Agent && to == engines:
		return &refusal{fmt.Sprintf("agents that warp runs may not use %s: the engine does this itself (%s)", name, why)}
	case kind == person.Agent:
		return &refusal{fmt.Sprintf("%s is a person's decision: agents may not run %s (%s)", what, name, why)}
	case to == engines || to < always && !near.driven || kind == person.Unknown && to < decisions:
		return nil
	case kind == person.Session && d != nil && a.wasTyped(d):
		return nil
	case kind == person.Session:
		return &refusal{fmt.Sprintf("%s is a person's decision: run %s in a terminal outside the agent's session (%s)", what, name, why)}
	}
	return &refusal{fmt.Sprintf("%s is a person's decision: %s; run %s in a terminal, or set %s to the output of warp token in your script", what, why, name, person.Variable)}
}

// anyFlagSet reports whether one of the flags is set; true for an empty list.
func anyFlagSet(c *cobra.Command, names []string) bool {
	return len(names) == 0 || slices.ContainsFunc(names, func(n string) bool {
		name, value, one := strings.Cut(n, "=")
		f := c.Flags().Lookup(name)
		if f == nil || !f.Changed {
			return false
		}
		list, many := f.Value.(interface{ GetSlice() []string })
		return !one || many && slices.ContainsFunc(list.GetSlice(), func(v string) bool { return strings.EqualFold(strings.TrimSpace(v), value) })
	})
}

// Restricted returns the commands in the table and the flags it names.
func Restricted() map[string][]string {
	all := map[string][]string{}
	for _, r := range restricted {
		for _, f := range append(slices.Clone(r.flags), r.unless) {
			if name, _, _ := strings.Cut(f, "="); name != "" {
				all[r.command] = append(all[r.command], name)
			}
		}
		all[r.command] = slices.Clip(all[r.command])
	}
	return all
}

// SandboxVariable sets the sandbox for a whole shell; --sandbox overrides it.
const SandboxVariable = "WARP_SANDBOX"

// confinedCommands are the commands that run agents or their output.
var confinedCommands = []string{
	"warp drive", "warp resume", "warp loop", "warp pipeline run", "warp sessions resume", "warp workflow run", "warp workflow resume",
	"warp workflow extend", "warp agent run", "warp agent check", "warp demo", "warp sandbox run", "warp sandbox explain", "warp dev up", "warp dev supervise",
}

// AddSandboxFlag adds --sandbox to a command that runs agents.
func (a *App) AddSandboxFlag(c *cobra.Command) {
	if !slices.Contains(confinedCommands, c.CommandPath()) {
		return
	}
	c.Flags().StringVar(&a.Sandbox, "sandbox", "", "what confines agents and commands: auto, bwrap, landlock, container or off (setting sandbox)")
}

// DetachedEnviron returns the environment of a detached warp, including the sandbox of this
// command line.
func (a *App) DetachedEnviron() []string {
	if a.Sandbox == "" {
		return a.Environ
	}
	return append(slices.Clone(a.AllEnviron()), SandboxVariable+"="+a.Sandbox)
}
