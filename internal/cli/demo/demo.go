// Package demo is warp demo: one requirement walked through every phase in a
// throw-away repository. It drives the state machine alone: no agent codes yet.
package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/drive"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	var keep string
	c := &cobra.Command{
		Use:   "demo",
		Short: "Walk one requirement through every phase, in a throw-away repository",
		Long: `Walk one requirement through every phase, in a throw-away repository with real
git, real gates and real commits. The state machine is driven alone: the code is
written by a script, not by an agent.`,
		Args: cobra.NoArgs,
		RunE: app.Run(func(ctx context.Context, _ []string) error {
			w := &walk{app: a, ctx: ctx, seen: map[drive.Phase]bool{}}
			return w.run(keep)
		}),
	}
	c.Flags().StringVar(&keep, "keep", "", "make the repository in this folder and keep it")
	return c
}

// walk is one demonstration.
type walk struct {
	app   *app.App
	ctx   context.Context
	root  string
	drive *turnstile.Drive
	seen  map[drive.Phase]bool
}

func (w *walk) run(keep string) error {
	w.root = keep
	if keep == "" {
		dir, err := os.MkdirTemp("", "warp-demo-")
		if err != nil {
			return fmt.Errorf("making a folder for the demo: %w", err)
		}
		defer os.RemoveAll(dir)
		w.root = dir
	} else if err := vacant(keep); err != nil {
		return err
	}
	root, err := filepath.Abs(w.root)
	if err != nil {
		return err
	}
	w.root = root
	w.drive = turnstile.Open(w.root, w.app.Env)
	w.app.Printf("This demo drives the state machine alone: real git, real gates, no agent.\nRequirement #42 has three criteria in two chunks.\n\n")
	for _, s := range script {
		if err := w.step(s); err != nil {
			return err
		}
	}
	return w.summary()
}

// vacant makes a folder, and refuses one that somebody uses.
func vacant(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("making a folder for the demo: %w", err)
	}
	if len(entries) > 0 {
		return &app.UsageError{Err: fmt.Errorf("--keep %q: the folder is not empty; the demo writes and commits in it, so name a new one", dir)}
	}
	return nil
}

// step does what its script line says, then prints where it led.
func (w *walk) step(s step) error {
	if s.say != "" {
		w.app.Printf("\n# %s\n", s.say)
	}
	if s.do != nil {
		if err := s.do(w); err != nil {
			return fmt.Errorf("demo: %w", err)
		}
	}
	if s.on == "" {
		return nil
	}
	r, err := w.drive.Fire(w.ctx, s.on, s.data)
	switch {
	case s.refused != "" && err == nil:
		return fmt.Errorf("demo: %s should have been refused", s.on)
	case s.refused != "":
		first, _, _ := strings.Cut(err.Error(), "\n")
		w.app.Printf("  %-21s x %-22s refused: %s\n", s.refused, s.on, first)
		return nil
	case err != nil:
		return fmt.Errorf("demo: %w", err)
	}
	w.seen[r.From], w.seen[r.To] = true, true
	mark := ""
	if r.Tripped() {
		mark = "  [" + strings.Join(r.Reasons, ", ") + "]"
	}
	w.app.Printf("  %-21s > %-22s %s%s\n", r.From, s.on, r.To, mark)
	return nil
}

func (w *walk) summary() error {
	v, err := w.drive.Read()
	if err != nil {
		return err
	}
	w.app.Printf("\n%d of %d phases visited.\n\n", len(w.seen), len(drive.Table.States()))
	render.Status(w.app.Out, filepath.Base(w.root), v.State, v.Stale)
	if len(w.seen) != len(drive.Table.States()) {
		return fmt.Errorf("demo: only %d phases were visited", len(w.seen))
	}
	return nil
}
