// Package app holds what every command gets: streams, folder, clock, the person's editor, the version
// of the programs, and access to the project.
// Nothing here is global; main creates one App and passes it down.
package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// App is the environment of a command.
type App struct {
	In       io.Reader
	Out, Err io.Writer
	Dir      string // the start folder
	Getenv   func(string) string
	// Environ is the environment including warp's secrets, which no project command may get;
	// nil: that of the process.
	Environ  []string
	Env      turnstile.Env
	Screen   bool     // stdout is a terminal
	Terminal bool     // stdin is one, too: a person can be asked
	Redraw   bool     // stdout is a terminal with a movable cursor
	Color    bool     // and shows colours
	Sandbox  string   // value of --sandbox
	AsJSON   bool     // --json is set: the result is for a program
	Line     []string // the command line without the program name

	printed []string // notes printed before the command ran
}

// AllEnviron returns the environment including warp's secrets, for redaction and for our own
// programs. Project commands get redact.ForProject's.
func (a *App) AllEnviron() []string {
	if a.Environ != nil {
		return a.Environ
	}
	return os.Environ()
}

// ErrNoProject means that a command was started outside any project.
var ErrNoProject = errors.New("no project here: neither this folder nor any above it has .git or .claude; cd into a project, or run git init")

// Project finds the project around the start folder.
func (a *App) Project() (*turnstile.Drive, error) {
	root, ok := turnstile.Find(a.Dir, a.Getenv("HOME"))
	if !ok {
		return nil, explainNoProject(a.Dir)
	}
	return turnstile.Open(root, a.Env), nil
}

// At opens the drive of the folder an argument names. If that folder has no session, it falls
// back to the enclosing project's.
func (a *App) At(arg string) (*turnstile.Drive, error) {
	root, err := a.Folder(arg)
	if err != nil {
		return nil, err
	}
	if up, ok := turnstile.Find(root, a.Getenv("HOME")); ok && turnstile.HasState(up) {
		root = up
	}
	return turnstile.Open(root, a.Env), nil
}

// Path returns the full path of an argument.
func Path(a *App, arg string) string {
	if filepath.IsAbs(arg) {
		return arg
	}
	return filepath.Join(a.Dir, arg)
}

// Confirm asks whether to continue; anything but a clear yes is a no.
func Confirm(a *App, question string) bool {
	a.Printf("%s [y/N] ", question)
	line, _ := bufio.NewReader(a.In).ReadString('\n') // no answer is a no
	word := strings.ToLower(strings.TrimSpace(line))
	return word == "y" || word == "yes"
}

// Folder returns the absolute path of the folder an argument names.
func (a *App) Folder(arg string) (string, error) {
	path := Path(a, arg)
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return "", fmt.Errorf("%q is not a folder: %w", arg, ErrNoProject)
	}
	return filepath.Clean(path), nil
}

// Notes prints messages to stderr; they are never part of the result.
func (a *App) Notes(notes []string) {
	for _, n := range notes {
		if i := slices.Index(a.printed, n); i >= 0 {
			a.printed = slices.Delete(a.printed, i, i+1)
			continue
		}
		fmt.Fprintf(a.Err, "warp: %s\n", render.Printable(n))
	}
}

// Note prints one message.
func (a *App) Note(format string, args ...any) { a.Notes([]string{fmt.Sprintf(format, args...)}) }

// Printf prints the result.
func (a *App) Printf(format string, args ...any) { fmt.Fprintf(a.Out, format, args...) }

// Report prints the result of an event, and returns an error if a budget tripped.
func (a *App) Report(r turnstile.Result, err error) error {
	a.Notes(r.Notes)
	if r.State == nil {
		return err
	}
	if a.AsJSON {
		if e := a.JSON(r.Outcome); e != nil {
			return e
		}
	} else if err == nil && !r.Tripped() {
		a.Printf("%s -> %s (%s)\n", r.From, r.To, r.Event)
	}
	if r.Tripped() {
		if err != nil { // the gate that used the last retry has a reason, too
			a.Note("%v", err)
		}
		return &budgetError{r.Outcome, r.State.Budgets.CanContinue()}
	}
	return err
}

// budgetError means that a budget was exceeded.
type budgetError struct {
	Outcome drivestate.Outcome
	More    bool // the budget can be renewed
}

func (e *budgetError) Error() string {
	way := "warp continue grants a new budget, warp stop ends the drive"
	switch {
	case e.Outcome.To == drivestate.Aborted:
		way = "the drive was aborted (phase_timeout_enforcement)"
	case !e.More:
		way = "no code was written yet, so the only way on is warp stop"
	}
	return fmt.Sprintf("budget exceeded in %s: %s; %s did not change the phase; %s",
		e.Outcome.From, strings.Join(e.Outcome.Reasons, ", "), e.Outcome.Event, way)
}

// Exactly requires n arguments; what names them in the error.
func Exactly(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return WrongUsage("expected %s, got %s", what, text.Count(len(args), "argument"))
		}
		return nil
	}
}

// InProject turns a function on the project around the start folder into a cobra command.
func (a *App) InProject(fn func(context.Context, *turnstile.Drive, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		d, err := a.Project()
		if err != nil {
			return err
		}
		return fn(c.Context(), d, args)
	}
}

// Run turns a function into a cobra command.
func Run(fn func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error { return fn(c.Context(), args) }
}

// Sleep waits, and returns the context's error if that ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// Hostname returns this machine's name; if it is empty, every process counts as remote.
func Hostname() string {
	host, _ := os.Hostname()
	return host
}

// explainNoProject returns why there is no project. A bare repository has no files, and must not
// be initialised again.
func explainNoProject(dir string) error {
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return ErrNoProject
		}
	}
	return fmt.Errorf("this is a bare repository, without files to work on: run git clone %s, and cd into the clone (%w)", dir, ErrBare)
}

// ErrBare is an ErrNoProject that git init must not fix: it would hide the existing repository
// from everyone who fetches and pushes.
var ErrBare error = bare{}

type bare struct{}

func (bare) Error() string        { return "no project here" }
func (bare) Is(target error) bool { return target == ErrNoProject }

// TextFlag adds a flag that refuses an empty text, which would count as not given.
func TextFlag(f *pflag.FlagSet, to *string, name, usage string) {
	f.Var((*filledText)(to), name, usage)
}

type filledText string

func (t *filledText) Set(s string) error {
	if strings.TrimSpace(s) == "" {
		return strconv.ErrSyntax // the message comes from the flag's usage
	}
	*t = filledText(s)
	return nil
}

func (t *filledText) String() string { return string(*t) }
func (*filledText) Type() string     { return "string" }

// IssueNumbers requires from least to most issue numbers; 0 means no maximum. The command gets
// "#7" as "7".
func IssueNumbers(least, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch n := len(args); {
		case n < least, most > 0 && n > most:
			return WrongUsage("expected the number of %s, got %s", map[bool]string{true: "one issue", false: "an issue, or several"}[most == 1], text.Count(n, "argument"))
		}
		for i, s := range args {
			n := IssueNumber(s)
			if n == 0 {
				return WrongUsage("%q is not an issue number", s)
			}
			args[i] = strconv.Itoa(n)
		}
		return nil
	}
}

// IssueName returns an issue's name in the journal: "7" for "#7", or the name of a file.
func IssueName(s string) string {
	if strings.HasPrefix(s, "#") && IssueNumber(s) > 0 {
		return s[1:]
	}
	return s
}

// IssueNumber parses "7" and "#7"; 0 if it is not a number.
func IssueNumber(s string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(s, "#"))
	return max(n, 0)
}
