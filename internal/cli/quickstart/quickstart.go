// Package quickstart is warp quickstart: from a folder to the first night, with few questions.
// Each step is what another command does, and can be repeated; existing settings stay.
package quickstart

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/issue"
	"warp/internal/core/config"
	"warp/internal/engine/forge"
	"warp/internal/turnstile"
)

// options are the answers on the command line.
type options struct {
	agent, tests, forge   string
	level                 int
	title, body, describe string
	noIssue, noCheck, yes bool
}

// New returns the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "quickstart",
		Short: "Set the project up and start a first night, with few questions",
		Long: `Set the project up, with few questions: repository, coding agent (it is asked a
trivial question), hooks and ignore lines, test command (it is run once), tracker,
automation level, and a first issue. Then it shows the plan of the night and the one
command that starts it. Nothing is driven before that.

Each answer has a flag; --yes takes the recommended answers and asks nothing. Run it
again at any time: existing settings stay. Ctrl-C keeps what was done so far; an attempt
that fails stores nothing.

Without a commit, it first writes what projects of this kind ignore (dependencies, .env)
to .gitignore, lists what the first commit will have, and refuses secrets and folders of
dependencies, with --yes too. It commits the files that it wrote, and no others.

An issue that an agent has drafted (--describe) is approved only by you: with --yes it
is left for warp issue approve.

Exit codes: 0 done, 13 something is left for you to do, 130 interrupted.`,
		Example: `  warp quickstart
  warp quickstart --yes --agent claude --level 2 --no-issue
  warp quickstart --yes --issue-title 'Parse mail' --issue-body '- [ ] an empty mail exits with 1'`,
		RunE: app.Run(func(ctx context.Context, _ []string) error {
			if err := o.check(a); err != nil {
				return &app.UsageError{Err: err}
			}
			s := &setup{app: a, o: o, ask: &prompter{app: a, lines: bufio.NewReader(a.In), yes: o.yes}}
			return s.run(ctx)
		}),
	}
	f := c.Flags()
	f.StringVar(&o.agent, "agent", "", "the coding agent")
	f.StringVar(&o.tests, "test-command", "", "the command that runs the tests")
	f.IntVar(&o.level, "level", 0, "the automation level: 2 opens pull requests, 3 merges")
	f.StringVar(&o.forge, "forge", "", "the tracker: auto, github, gitea or local")
	f.StringVar(&o.title, "issue-title", "", "the title of a first issue")
	f.StringVar(&o.body, "issue-body", "", "its text, with acceptance criteria as checkboxes")
	f.StringVar(&o.describe, "describe", "", "what a first issue is about: an agent drafts it")
	f.BoolVar(&o.noIssue, "no-issue", false, "write no issue")
	f.BoolVar(&o.noCheck, "no-check", false, "neither ask the agent a question nor run the tests")
	f.BoolVar(&o.yes, "yes", false, "take the recommended answers, and ask nothing")
	return c
}

func (o options) check(a *app.App) error {
	switch {
	case o.level != 0 && o.level != 2 && o.level != 3:
		return fmt.Errorf("--level %d: %w", o.level, turnstile.ErrLevel)
	case o.noIssue && o.title+o.body+o.describe != "":
		return errors.New("--no-issue cannot be combined with --issue-title, --issue-body or --describe")
	case o.describe != "" && o.title+o.body != "":
		return errors.New("--describe lets an agent write the issue, so it cannot be combined with --issue-title or --issue-body")
	case (o.title == "") != (o.body == ""):
		return errors.New("--issue-title and --issue-body belong together")
	case !o.yes && !issue.Attended(a):
		return errors.New("warp quickstart asks questions, but there is no terminal: use --yes, and flags for answers other than the recommended ones")
	}
	return nil
}

// setup is a quickstart in progress.
type setup struct {
	app *app.App
	o   options
	ask *prompter

	drive    *turnstile.Drive
	have     config.Settings // re-read before each step
	tracker  forge.Tracker
	green    bool     // the tests ran and passed
	approved int      // number of issues ready to drive
	left     []string // commands that only a person can run
	before   *found   // nil until the project is known
}

var steps = []func(*setup, context.Context) error{
	(*setup).findRepository,
	(*setup).chooseAgent,
	(*setup).writeFiles,
	(*setup).makeFirstCommit,
	(*setup).findTests,
	(*setup).chooseTracker,
	(*setup).chooseLevel,
	(*setup).tellNotifications,
	(*setup).writeIssue,
	(*setup).commitOwnFiles,
	(*setup).showNight,
}

func (s *setup) run(ctx context.Context) error {
	for _, step := range steps {
		var err error
		if s.drive != nil {
			s.have, err = s.drive.Project.Settings()
		}
		if err == nil && s.drive != nil && s.before == nil {
			s.before, err = s.lookAround(ctx)
		}
		if err == nil {
			err = step(s, ctx)
		}
		if errors.Is(err, context.Canceled) || errors.Is(err, io.EOF) {
			s.app.Printf("\nStopped. What was set up so far stays; warp quickstart continues from here.\n")
			return &app.Silent{Code: app.Interrupt}
		}
		if err != nil {
			return s.takeBack(ctx, err)
		}
	}
	if len(s.left) == 0 {
		return nil
	}
	s.app.Printf("\nLeft for you:\n")
	for _, l := range s.left {
		s.app.Printf("  %s\n", l)
	}
	return &app.Silent{Code: app.Human}
}

func (s *setup) say(what, format string, args ...any) {
	s.app.Printf("%-14s %s\n", what, fmt.Sprintf(format, args...))
}

// do runs another warp command in the project, without its output.
func (s *setup) do(ctx context.Context, command func(*app.App) *cobra.Command, args ...string) error {
	quiet := *s.app
	quiet.Out, quiet.Dir, quiet.Terminal = io.Discard, s.drive.Root(), false
	c := command(&quiet)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	c.SetOut(io.Discard)
	c.SetErr(s.app.Err)
	return c.ExecuteContext(ctx)
}

// prompter asks a person, line by line.
type prompter struct {
	app   *app.App
	lines *bufio.Reader
	yes   bool // take the recommended answers
}

// line asks for a line; an empty one means the recommended answer.
func (p *prompter) line(ctx context.Context, question, recommended string) (string, error) {
	if p.yes {
		return recommended, nil
	}
	if recommended != "" {
		question += " [" + recommended + "]"
	}
	p.app.Printf("%s ", question)
	type read struct {
		line string
		err  error
	}
	got := make(chan read, 1) // a read cannot be interrupted; Ctrl-C need not wait for it
	go func() {
		line, err := p.lines.ReadString('\n')
		got <- read{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case r := <-got:
		if r.err != nil {
			return "", fmt.Errorf("reading the answer: %w", r.err)
		}
		return cmp.Or(strings.TrimSpace(r.line), recommended), nil
	}
}

func (p *prompter) confirm(ctx context.Context, question string) (bool, error) {
	for {
		answer, err := p.line(ctx, question, "Y/n")
		switch strings.ToLower(answer) {
		case "y/n", "y", "yes":
			return true, err
		case "n", "no":
			return false, err
		}
		if err != nil {
			return false, err
		}
		p.app.Printf("Please answer y or n.\n")
	}
}

// choose asks until one of the given answers is entered.
func (p *prompter) choose(ctx context.Context, question string, from []string, recommended string) (string, error) {
	for {
		answer, err := p.line(ctx, fmt.Sprintf("%s (%s)", question, strings.Join(from, ", ")), recommended)
		if err != nil {
			return "", err
		}
		for _, f := range from {
			if strings.EqualFold(f, answer) {
				return f, nil
			}
		}
		p.app.Printf("%q is not one of them.\n", answer)
	}
}
