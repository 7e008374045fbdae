// Package initcmd is warp init: it sets a project up for warp, and undoes it. It plans
// everything before the first write, a second run changes nothing, and user content keeps every
// byte.
package initcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/settings"
	"warp/internal/core/lossless"
	"warp/internal/turnstile"
)

type options struct {
	level                      int
	agent                      string
	remove, force, dry         bool
	resume, sandbox, seed, mcp bool
	here, verbose              bool
}

// New returns the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := a.WithJSON("print the result as JSON", &cobra.Command{
		Use:   "init",
		Short: "Set up hooks, slash commands and git guards; --remove undoes it",
		Long: `Set the project up:

  .claude/settings.json        warp's hooks, beside yours
  .claude/commands, skills     /warp-drive, /stop-warp-drive and the others
  .gitignore                   state is ignored, configuration is kept
  git hooks                    reference-transaction and pre-push, chained to yours
  --level N                    automation level and permission rules, as warp level N
  --mcp                        warp mcp in .mcp.json: warp's commands as tools of Claude Code
  --sandbox                    Claude Code's own sandbox, configured like warp's; includes
                               --mcp, the way to reach warp from inside
  --seed-commands              /loop in addition to /quality-loop: hides Claude Code's own /loop
  --agent codex, gemini        .codex/hooks.json, .gemini/settings.json instead

Outside of a git repository init asks whether to make one; without a terminal it
exits 10. --here sets up the folder as it is, without git hooks.

Running it again changes only what is out of date. Your files, and warp's files
that you changed, are left alone with a note. --remove undoes everything; state
files and settings stay.

A drive that another machine left unfinished on a pushed branch is reported;
--resume restores it, as warp recover run does (on a terminal it asks).`,
		Example: "  warp init\n  warp init --level 2\n  warp init --dry-run\n  warp init --level 3 --resume\n  warp init --remove",
		RunE: app.Run(func(ctx context.Context, _ []string) error {
			if err := o.check(); err != nil {
				return &app.UsageError{Err: err}
			}
			d, err := project(ctx, a, o)
			if err != nil {
				return err
			}
			if o.remove {
				return undoSetup(ctx, a, d, o)
			}
			return setUp(ctx, a, d, o)
		}),
	})
	c.Flags().IntVar(&o.level, "level", 0, "also set the automation level and its permission rules: 2 opens pull requests, 3 merges")
	c.Flags().StringVar(&o.agent, "agent", "claude", "the coding agent: claude, codex or gemini")
	c.Flags().BoolVar(&o.remove, "remove", false, "undo everything that init set up")
	c.Flags().BoolVar(&o.force, "force", false, "with --remove: even while a drive is active")
	c.Flags().BoolVar(&o.sandbox, "sandbox", false, "also enable Claude Code's own sandbox, for sessions with a person")
	c.Flags().BoolVar(&o.mcp, "mcp", false, "also register warp mcp with Claude Code")
	c.Flags().BoolVar(&o.seed, "seed-commands", false, "also write /loop, which hides Claude Code's own")
	c.Flags().BoolVar(&o.resume, "resume", false, "restore a drive that is unfinished on the remote")
	c.Flags().BoolVar(&o.here, "here", false, "set up this folder, though it is not in a git repository")
	c.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "list every file")
	c.Flags().BoolVar(&o.dry, "dry-run", false, "print what would change and write nothing")
	return c
}

func (o options) check() error {
	switch {
	case o.level != 0 && o.level != 2 && o.level != 3:
		return fmt.Errorf("--level %d: %w", o.level, turnstile.ErrLevel)
	case o.remove && o.level != 0:
		return errors.New("--level and --remove cannot be combined")
	case o.sandbox && o.remove:
		return errors.New("--sandbox and --remove cannot be combined")
	case o.sandbox && o.agent != "claude":
		return fmt.Errorf("--sandbox works with Claude Code only: use the settings of %s", o.agent)
	case o.mcp && (o.remove || o.agent != "claude"):
		return errors.New("--mcp registers warp with Claude Code: it works neither with --remove nor with another agent")
	case o.seed && (o.remove || o.agent != "claude"):
		return errors.New("--seed-commands writes Claude Code commands: it works neither with --remove nor with another agent")
	case o.remove && o.resume:
		return errors.New("--resume and --remove cannot be combined")
	case o.force && !o.remove:
		return errors.New("--force works only with --remove")
	}
	_, err := findAgent(o.agent)
	return err
}

func setUp(ctx context.Context, a *app.App, d *turnstile.Drive, o options) error {
	ag, err := findAgent(o.agent)
	if err != nil {
		return err
	}
	more := extras{seed: o.seed, mcp: o.mcp || o.sandbox}
	if o.sandbox {
		s, err := d.Project.Settings()
		if err != nil {
			return err
		}
		more.box = claudeSandbox(s)
	}
	p, err := compose(ctx, d, more, ag)
	if err != nil {
		return err
	}
	if o.sandbox {
		p.note("Claude Code now runs its shell in a sandbox: on Linux it needs bubblewrap and socat, and does not start without them")
	}
	p.level(p.levelNow(o.level))
	text, err := p.now.Text()
	p.fail(err)
	p.edit(settings.RecordFile, func([]byte) ([]byte, error) { return text, nil }) // as the last change
	half := findUnfinished(ctx, d)
	for _, f := range half {
		p.note("#%s is unfinished: %d of %d chunks are on the remote branch %s; warp recover run %s restores it", f.Issue, len(f.Done), f.Total, f.Branch, f.Issue)
	}
	if err := p.finish(a, o); err != nil {
		return err
	}
	if o.dry {
		return nil
	}
	if p.common != "" {
		if err := registerProject(p.common, p.root); err != nil {
			return fmt.Errorf("recording that this project uses the repository's hooks: %w", err)
		}
	}
	if err := turnstile.ShowState(p.root); err != nil { // .gitignore has the lines now
		return fmt.Errorf("removing warp's lines from git's info/exclude: %w", err)
	}
	if !a.AsJSON && !o.verbose {
		p.tellNext(a)
	}
	return resume(a, half, o)
}

// extras are optional parts of the setup.
type extras struct {
	box  *lossless.Value // the agent's sandbox; nil: leave it as it is
	mcp  bool            // register warp's commands as tools
	seed bool            // write commands that shadow the agent's own
}

func compose(ctx context.Context, d *turnstile.Drive, more extras, agents ...agent) (*plan, error) {
	prog, err := findProgram(exec.LookPath, os.Executable)
	if err != nil {
		return nil, err
	}
	p, err := newPlan(d)
	if err != nil {
		return nil, err
	}
	p.box, p.now.Seed = more.box, p.now.Seed || more.seed
	if prog.note != "" {
		p.note("%s", prog.note)
	}
	for _, ag := range agents {
		p.hooksFile(ag, prog.command, true)
		if ag.note != "" {
			p.note("%s", ag.note)
		}
	}
	if more.mcp || p.before.Wrote(serversFile) { // once requested, it is kept up to date
		p.mcpFile(true)
	}
	if slices.ContainsFunc(agents, func(ag agent) bool { return ag.commands }) {
		p.instructions(true)
	}
	p.ignore(true)
	p.planGitHooks(ctx, prog, true)
	return p, p.err
}

// levelNow returns the level whose rules to write: the requested one, or the current one if warp
// wrote its rules, which an older version may have done.
func (p *plan) levelNow(asked int) int {
	if asked != 0 || p.before == nil || p.before.Rules == nil {
		return asked
	}
	s, err := p.drive.Project.Settings()
	p.fail(err)
	return s.Level
}

func (p *plan) level(n int) {
	if n == 0 {
		return
	}
	l, err := settings.PrepareLevel(p.drive, p.before, n)
	if err != nil {
		p.fail(fmt.Errorf("nothing was written: %w", err))
		return
	}
	p.Notes = append(p.Notes, l.Notes...)
	p.now.Rules = l.Ours
	p.add(l.Path, l.Action, l.Apply)
}

// Registered names the agents whose settings in the project call warp.
func Registered(d *turnstile.Drive) (names []string) {
	for _, ag := range registered(d) {
		names = append(names, ag.name)
	}
	return names
}

func registered(d *turnstile.Drive) []agent {
	return slices.DeleteFunc(slices.Clone(agents), func(ag agent) bool {
		text, err := d.Store().ReadFile(ag.file)
		return err != nil || !callsOurs(text)
	})
}

func callsOurs(text []byte) bool {
	doc, err := lossless.Parse(text)
	if err != nil || doc.Get("hooks") == nil {
		return false
	}
	return slices.ContainsFunc(doc.Get("hooks").Members, func(event lossless.Member) bool {
		return slices.ContainsFunc(event.Value.Elems, func(g *lossless.Value) bool { return len(ourEntries(g.Get("hooks"))) > 0 })
	})
}

// Pending lists the files that warp init would change, for the agents the project is set up for.
func Pending(ctx context.Context, d *turnstile.Drive) ([]Change, error) {
	set := registered(d)
	if len(set) == 0 {
		return nil, nil
	}
	p, err := compose(ctx, d, extras{}, set...)
	if err == nil && p.blind != "" {
		err = errors.New(p.blind)
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(p.Changes, func(c Change) bool { return c.Action == unchanged || c.Action == kept }), nil
}
