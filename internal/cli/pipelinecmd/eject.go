package pipelinecmd

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/pipeline/library"
	"warp/internal/durable"
	"warp/internal/sys/written"
	"warp/internal/turnstile"
)

func eject(a *app.App) *cobra.Command {
	var user bool
	c := &cobra.Command{
		Use:   "eject NAME",
		Short: "Copy a built-in pipeline into the project to change it",
		Long: `Copy a built-in pipeline to .claude/pipelines/NAME.yaml to change it.

The copy is complete: the loops it names are written out in its stages, with their
prompts and limits. It replaces the built-in one in this project, or with --user
(~/.config/warp/pipelines) in all your projects. An existing file is left alone. To
return to the built-in one, remove the copy.`,
		Example:           "  warp pipeline eject debate\n  warp pipeline eject fresh-review --user",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(library.Pipelines(), cobra.ShellCompDirectiveNoFileComp),
		RunE: app.Run(func(_ context.Context, args []string) error {
			text, ok := library.WriteOut(args[0])
			if !ok {
				return &app.UsageError{Err: fmt.Errorf("there is no built-in pipeline %q; warp pipeline list shows them", args[0])}
			}
			file, err := ejectTo(a, args[0]+extensions[0], text, user)
			if err != nil {
				return err
			}
			a.Printf("%s: run it with warp pipeline run %s NAME; check it with warp pipeline lint %s\n", displayPath(a, file), args[0], args[0])
			return nil
		}),
	}
	c.Flags().BoolVar(&user, "user", false, "copy it into your own folder, for all projects")
	return c
}

// ejectTo writes a new file and returns its path.
func ejectTo(a *app.App, base string, text []byte, user bool) (file string, err error) {
	put := func(file string) error { return durable.CreateFile(file, text, 0o644) } // folders may be links
	if user {
		file, err = userFolder(a.Getenv)
	} else {
		var d *turnstile.Drive
		if d, err = a.Project(); err == nil {
			file = filepath.Join(d.Root(), filepath.FromSlash(projectFolder))
			put = func(string) error { return createInProject(d, path.Join(projectFolder, base), text) }
		}
	}
	if err != nil {
		return "", err
	}
	file = filepath.Join(file, base)
	if _, err := os.Lstat(file); err == nil {
		return "", fmt.Errorf("%s exists and was left alone; remove it to start again from the built-in pipeline", displayPath(a, file))
	}
	if err := put(file); err != nil {
		return "", fmt.Errorf("writing %s: %w", displayPath(a, file), err)
	}
	return file, nil
}

// createInProject writes a file into a project. It records the file first: a guard watching an
// agent would otherwise blame the agent and remove it.
func createInProject(d *turnstile.Drive, rel string, text []byte) error {
	if err := written.Add(d.Project.Home(), rel, text); err != nil {
		return err
	}
	return d.Store().EditFile(rel, func([]byte) ([]byte, error) { return text, nil })
}
