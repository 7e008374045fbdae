package sessions

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/policy/session"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "sessions",
		Short: "Show, follow, stop and resume sessions: loops and pipelines",
		Long: `Show, follow, stop and resume sessions: loops and pipelines.

A session has a folder, .claude/pipeline-runs/NAME, with its state.json, its
progress, and a folder for each stage. «resume» continues a session that was killed,
stopped or paused, or that failed, from the last recorded iteration.`,
		Example: "  warp sessions\n  warp sessions tail auth\n  warp sessions resume auth --max 10\n  warp sessions resume --all",
		Args:    cobra.NoArgs,
	}
	l := list(a)
	c.RunE = l.RunE
	c.Flags().AddFlagSet(l.Flags())
	c.AddCommand(l, show(a), tail(a), stop(a), resume(a), remove(a), serve(a))
	return c
}

func open(d *turnstile.Drive, name string) *durable.Doc[sessionstate.State] {
	return session.Open(d.Store(), name)
}

// wantName wants the name of a session.
func wantName(c *cobra.Command, args []string) error {
	if err := app.Exactly(1, "the session's name")(c, args); err != nil {
		return err
	}
	if err := sessionstate.CheckName(args[0]); err != nil {
		return &app.UsageError{Err: err}
	}
	return nil
}

func missing(name string) error {
	return &app.UsageError{Err: fmt.Errorf("there is no session %q; warp sessions lists them", render.Printable(name))}
}

// lastPart is the end of a text.
func lastPart(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
