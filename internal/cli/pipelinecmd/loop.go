package pipelinecmd

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/sessions"
	"warp/internal/core/pipeline"
	"warp/internal/core/pipeline/library"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/turnstile"
)

// loopFlags are the command line of a loop.
type loopFlags struct {
	prompt, loop, until, delay, pauseOn string
	max, min, noProgress                int
	maxCost                             int64 // micro-dollars
	maxTime                             time.Duration
	commit, reset, dryRun               bool
	land                                *bool
	sessions.Overrides
	sessions.Options
}

// NewLoop returns the command.
func NewLoop(a *app.App) *cobra.Command {
	var f loopFlags
	c := &cobra.Command{
		Use:   "loop NAME [TASK]",
		Short: "Run an agent again and again, until it is done",
		Long: `Run an agent again and again, each time with a fresh context, until it is done.

NAME is the session's name; if it is not a valid name, it is the task, and the name
is made from it. Each iteration reads the session's progress file and does a part of
the task; its result, cost and changes are recorded. A killed loop continues where it
was: recorded iterations are not repeated.

--until says when it is done (` + sessionstate.Strategies + `):
  fixed N       after N iterations
  plateau [K]   when K iterations in a row say that nothing is left to improve,
                and changed nothing
  judge         when a second, read-only agent says so
  queue …       when no item is ready: beads, issues:LABEL, work
  gates [N]     when all quality gates pass N times in a row (2) and the work
                queue is empty; see warp queue
A loop always has a limit: --max (50), --max-cost, --max-tokens, --max-time,
--no-progress. Limits also apply while an agent runs.

With --commit it works on the branch session/NAME in a separate work tree, and lands on
your branch when it is complete; warp pipeline run --help says when it does not.

Exit codes: 0 done, 1 failed, 3 partly done (all iterations used, and the strategy
was not met), 11 the session is already running, 12 a budget is spent, 13 paused or
waiting for a person, 130 interrupted.`,
		Example: `  warp loop "Find and fix flaky tests" --until plateau --max 10
  warp loop auth --prompt prompts/auth.md --until judge --max-cost 5
  warp loop night --loop work --until "queue beads" --detach
  warp loop "implement user authentication" --until gates --pause-on S0`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: cobra.NoFileCompletions, // a new name, or a task
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			name, def, err := f.definition(a, d, args)
			if err == nil {
				err = f.checkGates(a, name, def)
			}
			if err != nil {
				return err
			}
			if f.dryRun {
				p, err := def.Preview(a, name)
				if err != nil {
					return err
				}
				a.Printf("%s", sessions.DescribePlan(p))
				return nil
			}
			return sessions.Start(ctx, a, d, name, def, f.Options)
		}),
	}
	fs := c.Flags()
	c.PreRunE = func(*cobra.Command, []string) error {
		if f.max == 0 && (fs.Changed("max") || fs.Changed("max-iterations")) {
			return app.WrongUsage("--max must be at least 1")
		}
		if f.Limit.Tokens < 1 && fs.Changed("max-tokens") {
			return sessions.ErrNoLimit
		}
		return f.CheckFlags(f.dryRun)
	}
	fs.StringVar(&f.prompt, "prompt", "", "the prompt, or a file with it; a template, see docs/reference/pipelines.md")
	fs.StringVar(&f.loop, "loop", "", "a loop with its own prompt: a name from warp pipeline list, or a file")
	_ = c.RegisterFlagCompletionFunc("loop", cobra.FixedCompletions(library.Loops(), cobra.ShellCompDirectiveDefault)) // it exists
	app.TextFlag(fs, &f.until, "until", "when it is done: "+sessionstate.Strategies)
	fs.IntVar(&f.max, "max", 0, "maximum number of iterations")
	fs.IntVar(&f.max, "max-iterations", 0, "the same as --max")
	fs.IntVar(&f.min, "min-iterations", 0, "iterations before a plateau or a judge may end it")
	f.Flags(c, "the loop; default: as configured")
	app.DollarsFlag(fs, &f.maxCost, "max-cost", "limit in dollars")
	fs.Int64Var(&f.Limit.Tokens, "max-tokens", 0, "limit in tokens")
	app.TimeFlag(fs, &f.maxTime, "max-time", "time limit, such as 2h")
	fs.IntVar(&f.noProgress, "no-progress", 0, "end after this many iterations without a change")
	fs.StringVar(&f.delay, "delay", "", "pause between iterations, such as 30s")
	fs.BoolVar(&f.commit, "commit", false, "commit the changes of each iteration when the checks pass, in a separate work tree")
	sessions.LandFlag(c, &f.land)
	fs.StringVar(&f.pauseOn, "pause-on", "", "S0 or S1: with --until gates, pause when work of this priority is found")
	fs.BoolVar(&f.reset, "reset", false, "with --until gates, begin with an empty work queue")
	fs.BoolVar(&f.Force, "force", false, "start over if a session of this name was interrupted; the old one is kept under another name")
	fs.BoolVar(&f.Detach, "detach", false, "run in the background, without a terminal")
	fs.BoolVar(&f.UI, "ui", false, "run in the background, and watch it here; leaving with q does not end it")
	fs.BoolVar(&f.JSON, "json", false, "print events as JSON lines")
	fs.BoolVar(&f.dryRun, "dry-run", false, "print what would be run")
	return c
}

// taskPrompt is the prompt of a loop with only a task.
const taskPrompt = `You are iteration ${ITERATION} of at most ${RUNS} of a loop; each iteration starts with a fresh context.

Your task: ${TASK}

Read ${PROGRESS} first: what earlier iterations did and learned. Then do the part of the task that matters most now, completely, and check it.

Rules:
- Follow the conventions of the project.
- Change nothing that the task does not need.
`

// definition returns what the command line asks for.
func (f *loopFlags) definition(a *app.App, d *turnstile.Drive, args []string) (name string, def sessions.Definition, err error) {
	if f.pauseOn != "" && !slices.Contains([]string{"S0", "S1", "S2", "S3"}, f.pauseOn) {
		return "", def, app.WrongUsage("--pause-on: %q is not a priority; there are S0, S1, S2, S3", f.pauseOn)
	}
	name, def.Reset, def.PauseOn, def.Land = args[0], f.reset, f.pauseOn, f.land
	if len(args) == 2 {
		def.Task = args[1]
	}
	if slices.ContainsFunc(args, func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return "", def, app.WrongUsage("the task is empty")
	}
	if err := sessionstate.CheckName(name); err != nil {
		if len(args) == 2 || text.LooksLikeName(name) {
			return "", def, &app.UsageError{Err: err}
		}
		name, def.Task = sessionstate.Slug(args[0]), args[0]
	}
	if f.loop == "" && f.prompt == "" && def.Task == "" && slices.Contains(library.Loops(), name) {
		f.loop = name
	}
	add := func(key, value, flag string) {
		if value != "" && value != "0" && value != "false" {
			def.Settings = append(def.Settings, pipeline.Setting{Key: key, Value: value, Flag: flag})
		}
	}
	switch {
	case f.prompt != "" && f.loop != "":
		return "", def, app.WrongUsage("give --prompt or --loop, not both")
	case f.loop != "":
		add("loop", absoluteLoop(a.Dir, f.loop), "--loop")
	case f.prompt != "":
		text, err := f.promptText(a, d)
		if err != nil {
			return "", def, err
		}
		add("prompt", text, "--prompt")
		def.Task = cmp.Or(def.Task, name)
	case def.Task != "":
		add("prompt", taskPrompt, "TASK")
	default:
		return "", def, app.WrongUsage("no task given: use warp loop %s \"the task\", --prompt or --loop (warp pipeline list shows the loops)", name)
	}
	add("until", f.until, "--until")
	add("runs", strconv.Itoa(f.max), "--max")
	add("min_iterations", strconv.Itoa(f.min), "--min-iterations")
	said, err := f.Settings(a)
	if err != nil {
		return "", def, err
	}
	def.Settings = append(def.Settings, said...)
	add("delay", f.delay, "--delay")
	add("commit", strconv.FormatBool(f.commit), "--commit")
	add("guardrails.no_progress", strconv.Itoa(f.noProgress), "--no-progress")
	def.Settings = append(def.Settings, boundSettings(f.maxCost, f.maxTime)...)
	return name, def, nil
}

// checkGates refuses flags of the quality gates for a loop that has none.
func (f *loopFlags) checkGates(a *app.App, name string, def sessions.Definition) error {
	if f.pauseOn == "" && !f.reset {
		return nil
	}
	p, err := def.Preview(a, name)
	if err != nil {
		return err
	}
	for _, stage := range p.Stages {
		if until, err := sessionstate.ParseUntil(stage.Until); err == nil && until.Kind == sessionstate.Gates {
			return nil
		}
	}
	return app.WrongUsage("--pause-on and --reset are for the work queue of quality gates, so they need --until gates")
}

// promptText returns the prompt, from a file if there is one of that name.
func (f *loopFlags) promptText(a *app.App, d *turnstile.Drive) (string, error) {
	path := app.Path(a, f.prompt)
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		text, err := sessions.Read(a, d, path)
		if err != nil {
			return "", fmt.Errorf("reading the prompt %s: %w", f.prompt, err)
		}
		return string(text), nil
	}
	if !strings.ContainsAny(f.prompt, " \n") && (strings.ContainsAny(f.prompt, "/\\") || strings.HasSuffix(f.prompt, ".md") || strings.HasSuffix(f.prompt, ".txt")) {
		return "", app.WrongUsage("--prompt: there is no file %s", f.prompt)
	}
	return f.prompt, nil
}

// absoluteLoop makes the path of a loop's file absolute, so that a session resumed from elsewhere
// finds it.
func absoluteLoop(dir, loop string) string {
	if slices.Contains(library.Loops(), loop) || filepath.IsAbs(loop) || !strings.ContainsAny(loop, "/\\.") {
		return loop
	}
	return filepath.Join(dir, loop)
}
