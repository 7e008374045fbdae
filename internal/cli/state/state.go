// Package state is warp state: the command line of the state machine, action for action as in
// the state reference.
package state

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/cost"
	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/turnstile"
)

// Prover proves what an event claims. It talks to the tracker and runs tests, so only warp-net
// has it.
type Prover interface {
	Gates(on drivestate.Event, data drivestate.Data) []turnstile.Gate
	File(ctx context.Context, what string) error
}

// Net is what warp-net adds to the command.
type Net struct {
	Open func(context.Context, *app.App, *turnstile.Drive) (Prover, error)
	// User returns our GitHub user; "" if the tracker does not know it.
	User func(context.Context, *app.App, *turnstile.Drive) string
}

// New returns the command for warp, which leaves proofs to warp-net.
func New(a *app.App) *cobra.Command { return Make(a, nil) }

// Make returns the command; net is nil in a program without network access.
func Make(a *app.App, net *Net) *cobra.Command {
	c := &cobra.Command{
		Use:   "state <action> <root> [args]",
		Short: "Read and move the state machine of a project",
		Long: `Read and move the state machine of the project at <root>.

This is the interface for scripts, hooks and agents. An event that the table
does not allow changes nothing (exit 1) and names the events that are allowed.`,
		Example: `  warp state init . --level 2 --issue 42 --pid $PPID
  warp state transition . prerequisites_ok
  warp state transition . chunks_defined --data '{"chunks":[["AC-01","AC-02"],["AC-03"]]}'
  warp state gate . git_commit && git commit
  warp state status . | jq -r .phase`,
	}
	c.AddCommand(initCommand(a, net), statusCommand(a), transitionCommand(a, net), injectCommand(a),
		gateCommand(a), verifyCommand(a, net), fileCommand(a, net), abortCommand(a), resetCommand(a))
	return c
}

// onRoot turns a function on the drive of the folder in the first argument into a cobra command.
func onRoot(a *app.App, fn func(context.Context, *turnstile.Drive, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		d, err := a.At(args[0])
		if err != nil {
			return err
		}
		return fn(c.Context(), d, args)
	}
}

func initCommand(a *app.App, net *Net) *cobra.Command {
	var st turnstile.Start
	c := &cobra.Command{
		Use:   "init <root>",
		Short: "Create a new session, in phase prerequisites",
		Long: `Create a new session, in phase prerequisites.

An unfinished session is refused (exit 11). The branches are read from git, the
GitHub user from the token (GITHUB_TOKEN, GH_TOKEN), or from gh. Inside Claude Code the session and its
process are taken from the environment. If .claude/issues/N.md exists, its criteria
are recorded.`,
		Example: "  warp state init . --level 2 --issue 42 --pid $PPID",
		Args:    app.Exactly(1, "the project's root"),
		RunE: app.Run(func(ctx context.Context, args []string) error {
			st.Issue = app.IssueName(st.Issue)
			if err := checkStart(st); err != nil {
				return err
			}
			root, err := a.Folder(args[0])
			if err != nil {
				return err
			}
			d := turnstile.Open(root, a.Env)
			switch {
			case net != nil && net.User != nil:
				st.GitHubUser = net.User(ctx, a, d)
			case net == nil && (a.Getenv("GITHUB_TOKEN") != "" || a.Getenv("GH_TOKEN") != ""):
				return a.BecomeNet(a.Line)
			}
			v, err := d.Init(ctx, st)
			a.Notes(v.Notes)
			if err != nil {
				return err
			}
			if st.Issue != "" {
				if _, err := d.Criteria.RecordFromFile(st.Issue); err != nil {
					a.Note("%v", err) // the session stands; the criteria can be recorded later
				}
			}
			a.Printf("session started: phase %s, level %d\n", v.State.Phase, v.State.Session.Level)
			return nil
		}),
	}
	c.Flags().IntVar(&st.Level, "level", 0, "automation level: 2 (pull request) or 3 (merge); default: the setting level")
	c.Flags().StringVar(&st.Issue, "issue", "", "the requirement's issue number; default: discover one")
	c.Flags().IntVar(&st.PID, "pid", owner(a), "process that owns the session; without, the one that runs warp")
	c.Flags().Lookup("pid").DefValue = "0" // keeps help and man page reproducible
	c.Flags().StringVar(&st.ClaudeSession, "session", a.Getenv("CLAUDE_CODE_SESSION_ID"), "id of the Claude Code session that owns the drive")
	return c
}

// owner returns the process a session belongs to: the agent around us, or our parent.
func owner(a *app.App) int {
	if pid, err := strconv.Atoi(a.Getenv("CLAUDE_PID")); err == nil && pid > 0 {
		return pid
	}
	return os.Getppid()
}

func checkStart(st turnstile.Start) error {
	switch {
	case st.Level != 0 && st.Level != 2 && st.Level != 3:
		return fmt.Errorf("--level %d: %w", st.Level, turnstile.ErrLevel)
	case st.Issue != "" && !text.ValidName(st.Issue):
		return app.WrongUsage("--issue %q: it must be a number, or a name of %s", st.Issue, text.NameRule)
	case st.PID <= 0:
		return app.WrongUsage("--pid %d: it must be a process id", st.PID)
	}
	return nil
}

func statusCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "status <root>",
		Short: "Print the state as JSON (exit 2 if there is no session)",
		Args:  app.Exactly(1, "the project's root"),
		RunE: onRoot(a, func(_ context.Context, d *turnstile.Drive, args []string) error {
			v, err := d.Read()
			if err != nil {
				return err
			}
			a.Notes(v.Notes)
			_, err = a.Out.Write(v.JSON())
			return err
		}),
	}
}

func transitionCommand(a *app.App, net *Net) *cobra.Command {
	var data string
	var confirm []string
	c := a.WithJSON("print the outcome as JSON", &cobra.Command{
		Use:   "transition <root> <event>",
		Short: "Move to the next phase",
		Long: `Fire an event to move to the next phase.

No claim is trusted: what an event states (tests_passed, committed, merged …) is
proven first, as warp drive does. An event that is not true is refused with what is
missing (exit 1), at no cost. docs/reference/states.md lists the facts.

Gates run next; one that fails blocks the event, leaves the phase and counts
one retry (exit 1). A budget that trips leads to budget_exceeded (exit 12).

--data is a JSON object; absent members keep their values:
  requirement, branch   strings, until chunks_defined and with continue_yes
  chunks                arrays of criteria, with chunks_defined
  commit                the commit's hash, with committed, commit_with_doc_gate,
                        drift_clean, merged and abort_resolved
  failure               what failed, with tests_failed, drift_blocked,
                        merge_failed, push_failed and the aborts
  tokens                the session's tokens so far, with any event

--confirm says how a criterion is known to be satisfied. Inside a guarded agent
session code_complete, tests_passed and requirement_done require it for each
criterion; confirmations are recorded in the journal.`,
		Example: `  warp state transition . work_selected --data '{"requirement":"42","branch":"feature/issue-42-title"}'
  warp state transition . code_complete --confirm 'AC-01: TestParse shows it' --confirm 'AC-02: seen in the output'
  warp state transition . tests_failed --data "$(jq -n --arg f "$output" '{failure: $f}')"`,
		Args: app.Exactly(2, "the project's root and an event"),
		RunE: onRoot(a, func(ctx context.Context, d *turnstile.Drive, args []string) error {
			on := drivestate.Event(args[1])
			facts, err := proofGates(ctx, a, d, net, on, data)
			if err != nil {
				return err
			}
			if err := d.Criteria.Confirm(on, confirm); err != nil {
				return err
			}
			res, err := d.Fire(ctx, on, data, facts...)
			cost.Record(ctx, a, d, res, err)
			return a.Report(res, err)
		}),
		ValidArgsFunction: completeSecond(events),
	})
	c.Flags().StringArrayVar(&confirm, "confirm", nil, "a criterion and how you know it is satisfied; repeatable")
	c.Flags().StringVar(&data, "data", "", "the event's data, as a JSON object")
	return c
}

func abortCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "abort <root>",
		Short: "Shorthand for transition <root> abort",
		Args:  app.Exactly(1, "the project's root"),
		RunE: onRoot(a, func(ctx context.Context, d *turnstile.Drive, args []string) error {
			res, err := d.Fire(ctx, drivestate.Abort, "")
			return a.Report(res, err)
		}),
	}
}

func resetCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "reset <root>",
		Short: "Delete the state file immediately; the journal is kept",
		Args:  app.Exactly(1, "the project's root"),
		RunE: onRoot(a, func(_ context.Context, d *turnstile.Drive, args []string) error {
			notes, err := d.Reset()
			a.Notes(notes)
			if err != nil {
				return err
			}
			a.Printf("state deleted; code changes are still in the work tree\n")
			return nil
		}),
	}
}
