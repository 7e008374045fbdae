// Package pipelinecmd is warp pipeline: stages of loops, from a file.
package pipelinecmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/sessions"
	"warp/internal/core/pipeline"
	"warp/internal/core/session"
	"warp/internal/turnstile"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "pipeline",
		Short: "Run stages of loops, as a file says: run, lint, list",
		Long: `Run stages of loops, as a file says.

A pipeline file names stages; each is a loop with a prompt, and stages that do not
wait for each other may run side by side. docs/pipelines.md has the format.
Everything that is wrong with a file is named with line and column before anything
runs. A file that came with the repository is not run until it is trusted (warp
trust FILE).`,
		Example: "  warp pipeline lint review.yaml\n  warp pipeline run review.yaml friday \"Review the parser\"\n  warp pipeline run full-refine plan --dry-run",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(run(a), lint(a), list(a))
	return c
}

func run(a *app.App) *cobra.Command {
	var o sessions.Options
	var dryRun bool
	c := &cobra.Command{
		Use:   "run FILE.yaml NAME [TASK]",
		Short: "Run a pipeline as the session NAME",
		Long: `Run a pipeline as the session NAME.

With a stage that commits (commit: true) it works on a branch of its own,
session/NAME. At its end the branch that it began on is checked out again, and the
output says how to merge.`,
		Example: "  warp pipeline run review.yaml friday\n  warp pipeline run full-refine plan \"Split the parser in two\" --detach",
		Args:    cobra.RangeArgs(2, 3),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			if err := session.CheckName(args[1]); err != nil {
				return &app.UsageError{Err: err}
			}
			look := func(file string) ([]byte, error) { return sessions.Read(a, d, file) }
			if dryRun {
				look = sessions.Look
			}
			def, err := read(a, args[0], look)
			if err != nil {
				return err
			}
			if def.Task = args[1]; len(args) == 3 {
				def.Task = args[2]
			}
			if dryRun {
				p, err := def.Look(a, args[1])
				if err != nil {
					return err
				}
				a.Printf("%s", pipeline.Plan(p))
				return nil
			}
			return sessions.Start(ctx, a, d, args[1], def, o)
		}),
	}
	c.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be run")
	c.Flags().BoolVar(&o.Detach, "detach", false, "leave it running without a terminal")
	c.Flags().BoolVar(&o.JSON, "json", false, "tell what happens as JSON lines")
	return c
}

// read reads a pipeline: a file, or a built-in one.
func read(a *app.App, file string, look func(string) ([]byte, error)) (def sessions.Definition, err error) {
	if text, ok := pipeline.BuiltInPipeline(file); ok {
		return sessions.Definition{File: "built-in/" + file + ".yaml", Text: text}, nil
	}
	full := file
	if !filepath.IsAbs(full) {
		full = filepath.Join(a.Dir, full)
	}
	text, err := look(full)
	if errors.Is(err, fs.ErrNotExist) {
		return def, &app.UsageError{Err: fmt.Errorf("there is no file %s, and no built-in pipeline of that name (there are %s)", file, strings.Join(pipeline.BuiltInPipelines(), ", "))}
	}
	if err != nil {
		return def, fmt.Errorf("reading the pipeline %s: %w", file, err)
	}
	if text == nil {
		text = []byte{}
	}
	return sessions.Definition{File: full, Text: text}, nil
}

func lint(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "lint FILE.yaml…", Short: "Say what is wrong with pipeline files, and run nothing", Args: cobra.MinimumNArgs(1),
		Example: "  warp pipeline lint pipelines/*.yaml",
		RunE: app.Run(func(_ context.Context, args []string) error {
			bad := 0
			for _, file := range args {
				def, err := read(a, file, sessions.Look)
				if err == nil {
					_, err = def.Look(a, "lint")
				}
				var problems sessions.Problems
				switch {
				case errors.As(err, &problems):
					a.Printf("%s\n", problems)
					bad++
				case err != nil:
					return err
				default:
					a.Printf("%s: fine\n", file)
				}
			}
			if bad > 0 {
				return &app.Silent{Code: app.Failed}
			}
			return nil
		}),
	}
}

func list(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the loops and pipelines that need no file", Args: cobra.NoArgs,
		RunE: app.Run(func(context.Context, []string) error {
			type builtIn struct {
				Kind string `json:"kind"`
				Name string `json:"name"`
				Text string `json:"description"`
			}
			var all []builtIn
			for _, n := range pipeline.BuiltInLoops() {
				text, _ := pipeline.BuiltInLoop(n)
				all = append(all, builtIn{"loop", n, described(text)})
			}
			for _, n := range pipeline.BuiltInPipelines() {
				text, _ := pipeline.BuiltInPipeline(n)
				all = append(all, builtIn{"pipeline", n, described(text)})
			}
			if asJSON {
				return a.JSON(all)
			}
			for _, b := range all {
				a.Printf("%-9s %-13s %s\n", b.Kind, b.Name, b.Text)
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}

// described is the description in a file of our own.
func described(text []byte) string {
	lines := strings.Split(string(text), "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "description: ") })
	if i < 0 {
		return ""
	}
	return strings.TrimPrefix(lines[i], "description: ")
}
