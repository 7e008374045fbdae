// Package fleetcmd holds the commands of warp-fleet.
package fleetcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/fleetfile"
	"warp/internal/core/text"
	"warp/internal/durable"
	who "warp/internal/engine/person"
	"warp/internal/engine/trust"
)

// Main runs warp-fleet and returns its exit code.
func Main(args []string, out, errors io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := Tree()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errors)
	err := root.ExecuteContext(ctx)
	if err != nil {
		if text := app.Message(err); text != "" {
			fmt.Fprintf(errors, "warp-fleet: %s\n", text)
		}
	}
	return app.Code(err)
}

// Tree returns the root command with all subcommands.
func Tree() *cobra.Command {
	root := &cobra.Command{
		Use:   "warp-fleet",
		Short: "Run a fleet: several repositories, several machines, one night",
		Long: `Run a fleet: several repositories, several machines, one night. It needs a Temporal
server; warp-fleet up starts one on this machine. A fleet is described by a fleet.yaml:

  repositories:
    - url: https://github.com/acme/shop.git
      level: 3
      priority: 2        # a higher priority gets a larger share
      at_once: 4         # concurrent requirements
      pool: linux        # the workers that may take it; default: any
  pools:
    - label: linux
      slots: 4           # of each worker
      agents: [claude]
      accounts: [max-1, max-2]
  accounts:
    - {name: max-1, agent: claude, at_once: 3, window_share: 0.6}
    - {name: max-2, agent: claude, at_once: 3}
  caps: {night: 50, day: 80, per_repository: 20}   # dollars
  quiet_hours: ["08:00-19:00 mon-fri"]             # nothing new starts

Exit codes: 0 done; 1 the file has problems, or it failed; 2 wrong usage; 130 interrupted.`,
		SilenceErrors: true, SilenceUsage: true, PersistentPreRunE: refuseAgents, Version: app.Version,
		Args: refuseUnknown, RunE: showHelp,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &app.UsageError{Err: err} })
	root.AddCommand(newUp(), newWorker(), newSubmit(), newStatus(), newShow(), newWatch(), newAnswer(), newOrder(0), newOrder(1), newOrder(2), newDrain(), newSchedule(), newReport(), newCost(), newDoctor(), newLint(), newSimulate())
	root.SetVersionTemplate("warp-fleet {{.Version}}\n")
	for _, c := range root.Commands() {
		if c.Args != nil {
			c.Args = app.PlainArgs(c.Args)
		}
	}
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.HasSubCommands() { // cobra would take any word as a request for help
			c.Args, c.RunE = refuseUnknown, showHelp
			for _, shell := range c.Commands() {
				shell.Args = app.PlainArgs(shell.Args)
			}
		}
	}
	return root
}

// refuseUnknown refuses the words after a command that has subcommands only.
func refuseUnknown(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return app.WrongUsage("there is no command %q: see %s --help", args[0], c.CommandPath())
	}
	return nil
}

func showHelp(c *cobra.Command, _ []string) error { return c.Help() }

// fileName returns the file that a command names, or the usual one.
func fileName(args []string) string { return append(args, "fleet.yaml")[0] }

// readFleetFile reads a fleet.yaml, prints its warnings, and refuses one with problems.
func readFleetFile(path string, warnings io.Writer) (*fleetfile.File, error) {
	raw, err := durable.ReadPlain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s: write one (warp-fleet --help shows how), or name another file", path)
	}
	if err != nil {
		return nil, err
	}
	f, problems := fleetfile.Parse(raw)
	var all []error
	for _, p := range problems {
		all = append(all, fmt.Errorf("%s:%s", path, p))
	}
	if len(all) == 0 {
		for _, p := range fleetfile.Warn(raw, f) {
			fmt.Fprintf(warnings, "%s:%d:%d: warning: %s\n", path, p.Line, p.Column, p.Text)
		}
	}
	return f, errors.Join(all...)
}

func newLint() *cobra.Command {
	return &cobra.Command{
		Use:     "lint fleet.yaml",
		Short:   "Check a fleet.yaml, and say what is wrong with it and where",
		Long:    "Check a fleet.yaml, and say what is wrong with it and where. Exit codes: 0 it is fine; 3 there\nare warnings; 1 it cannot be used.",
		Example: "  warp-fleet lint fleet.yaml",
		Args:    oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			var warnings bytes.Buffer
			f, err := readFleetFile(args[0], &warnings)
			switch {
			case err != nil:
				return err
			case warnings.Len() > 0:
				fmt.Fprint(c.ErrOrStderr(), &warnings)
				return &app.Silent{Code: app.Partly}
			}
			fmt.Fprintf(c.OutOrStdout(), "%s is fine: %s, %s, %s\n", args[0], text.Count(len(f.Repositories), "repository"), text.Count(len(f.Pools), "pool"), text.Count(len(f.Accounts), "account"))
			return nil
		},
	}
}

func oneFile(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return app.WrongUsage("name one fleet.yaml: %s", c.Example[2:])
	}
	return nil
}

// decisions are the commands agents may not run: an agent that could answer its own question or
// start other agents would bypass people.
var decisions = map[string]string{
	"answer": "an answer", "submit": "what the fleet works on", "pause": "pausing", "resume": "resuming", "stop": "stopping",
	"drain": "which machines work", "schedule": "when nights begin", "up": "starting a fleet", "worker": "starting a worker",
}

// refuseAgents refuses these commands to agents that warp runs, and answers also to agent
// sessions.
func refuseAgents(c *cobra.Command, _ []string) error {
	what, restricted := decisions[c.Name()]
	if !restricted {
		return nil
	}
	asks := who.Asker{PID: os.Getpid(), Getenv: os.Getenv}
	asks.Folder, _ = trust.Folder(os.Getenv) // without a folder there is no token
	kind, why := asks.Who()
	if kind == who.Agent || kind == who.Session && c.Name() == "answer" {
		return fmt.Errorf("%s is a person's decision: run warp-fleet %s in a terminal outside the agent's session (%s)", what, c.Name(), why)
	}
	return nil
}
