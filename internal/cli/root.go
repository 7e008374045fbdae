// Package cli is the command line of warp: it parses, calls, prints, and turns every outcome
// into an exit code. Each command has its own package; without a command it shows what goes on in the
// project and what to do next (home.go), at most ten lines from local state alone.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"warp/internal/cli/app"
	"warp/internal/engine/trust"
	"warp/internal/sys/proc"
	"warp/internal/sys/seal"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// Main runs warp and returns its exit code. more are commands that this program implements
// itself, while warp leaves them to another.
func Main(args []string, more ...Command) int {
	// Commands are short: collecting garbage early would cost more than it frees.
	debug.SetGCPercent(400)
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "warp: the current folder is unknown: %v\n", err)
		return app.Failed
	}
	if len(more) > 0 { // warp itself runs no engine
		proc.WatchSleep(sleepGap(os.Getenv))
	}
	ctx, ended := context.Background(), func() os.Signal { return nil }
	if len(more) > 0 || len(args) == 0 || !slices.Contains(briefCommands, args[0]) {
		ctx, ended = interruptible()
	}
	screen := render.IsTerminal(os.Stdout)
	a := &app.App{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Dir: dir, Getenv: os.Getenv, Env: turnstile.System(), Screen: screen,
		Terminal: screen && render.IsTerminal(os.Stdin), Redraw: screen && os.Getenv("TERM") != "dumb"}
	a.Color = a.Redraw && os.Getenv("NO_COLOR") == ""
	surroundings(a)
	a.Env.UserSettings = turnstile.UserSettingsFile(a.Getenv)
	a.Env.Trust = trust.Open(a.Getenv, a.Env.Now, a.Env.PID).Check
	if key, err := openKey(a.Getenv, args); err != nil {
		a.Note("evidence is not signed, so warp cannot distinguish it from what an agent makes up: %v", err)
	} else if key != nil {
		a.Env.Signer = key
	}
	code := Run(ctx, a, args, more...)
	if by, ok := ended().(syscall.Signal); ok && by != syscall.SIGINT && code == app.Interrupt {
		return 128 + int(by)
	}
	return code
}

// openKey opens the key that signs facts. Commands run by agents or hooks have no key, so
// nothing they write is signed.
func openKey(getenv func(string) string, args []string) (*seal.Key, error) {
	if getenv("WARP_ROLE") != "" || len(args) == 0 || slices.Contains([]string{"hook", "version", "--version", "-v", "help", "completion", "__complete"}, args[0]) {
		return nil, nil
	}
	dir, err := trust.Folder(getenv)
	if err != nil {
		return nil, err
	}
	return seal.Open(getenv, dir)
}

// Run runs one command line.
func Run(ctx context.Context, a *app.App, args []string, more ...Command) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &output{w: a.Out, unread: cancel}
	if len(args) > 0 && (args[0] == "--version" || args[0] == "-v") {
		args = append([]string{"version"}, args[1:]...)
	}
	a.Out, a.Line = out, args
	root := tree(a, args, more)
	if isCompletion(args) {
		walk(root, func(c *cobra.Command) { complete(a, c) })
	}
	root.SetArgs(args)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(ctx)
	if err == nil && out.err != nil {
		err = fmt.Errorf("the result could not be printed: %w", out.err)
	}
	if errors.Is(out.err, syscall.EPIPE) { // no reader, so no message
		return app.Unread
	}
	if err != nil {
		tell(a.Err, err)
	}
	return app.Code(err)
}

// output remembers a failed write: a result that never arrives is not a success.
type output struct {
	w      io.Writer
	err    error
	unread func() // called when the reader is gone
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if o.err == nil {
		o.err = err
	}
	if errors.Is(err, syscall.EPIPE) {
		o.unread()
	}
	return n, err
}

func tell(w io.Writer, err error) {
	if text := app.Message(err); text != "" {
		fmt.Fprintf(w, "warp: %s\n", text)
	}
}

func command(a *app.App) *cobra.Command {
	root := &cobra.Command{
		Use:           "warp",
		Short:         "Drive a coding agent from approved work to merged, with evidence",
		Long:          about,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return &app.UsageError{Err: unknownCommand(c, args[0])}
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if a.Terminal {
				if err := showHome(a); !errors.Is(err, app.ErrNoProject) {
					return err
				}
			}
			shortHelp(c)
			return nil
		},
	}
	root.Flags().BoolP("version", "v", false, "print the version") // Run turns it into warp version
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
	}
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID(plumbing)
	root.SetCompletionCommandGroupID(plumbing)
	explain := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if c == root {
			longHelp(c)
			return
		}
		explain(c, args)
	})
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		if wrong := wrongSubcommand(c, a.Line); wrong != nil {
			return wrong
		}
		if value, is := errors.AsType[*pflag.InvalidValueError](err); is {
			err = explainValue(value)
		}
		return app.WrongUsage("%w (see %s --help)", err, c.CommandPath())
	})
	return root
}

// wanted says what a flag of a type takes.
var wanted = map[string]string{
	"duration": "a time with its unit, such as 90m or 2h",
	"dollars":  "an amount of dollars above 0, such as 2.50 or $10",
	"time":     "a time above zero with its unit, such as 90m or 2h",
	"float64":  "a number, such as 2.50",
	"int":      "a whole number",
	"int64":    "a whole number",
	"bool":     "true or false",
}

// explainValue says what a flag takes instead of the value it got: the parser's words do not.
func explainValue(v *pflag.InvalidValueError) error {
	f := v.GetFlag()
	if want := wanted[f.Value.Type()]; want != "" {
		return fmt.Errorf("--%s %q is not %s", f.Name, v.GetValue(), want)
	}
	if errors.Is(v, strconv.ErrSyntax) {
		return fmt.Errorf("--%s %q is not accepted: %s", f.Name, v.GetValue(), f.Usage)
	}
	return v
}

// usage makes a command refuse wrong arguments in plain words, and an unknown subcommand by
// name.
func usage(c *cobra.Command) cobra.PositionalArgs {
	check := c.Args
	if check == nil {
		return nil
	}
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil && !app.IsA[*app.UsageError](err) && c.HasSubCommands() && len(args) > 0 {
			return &app.UsageError{Err: unknownCommand(c, args[0])}
		}
		return app.PlainArgs(check)(c, args)
	}
}

func walk(c *cobra.Command, fn func(*cobra.Command)) {
	fn(c)
	for _, sub := range c.Commands() {
		walk(sub, fn)
	}
}
