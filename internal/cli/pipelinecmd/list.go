package pipelinecmd

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/sessions"
	"warp/internal/core/pipeline/library"
	"warp/internal/core/text"
)

func list(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the pipelines and loops that can be called by name", Args: cobra.NoArgs,
		Long: `List the pipelines and loops that can be called by name.

Pipelines of the project (.claude/pipelines) come first, then those of your own
folder (~/.config/warp/pipelines), then the built-in ones; the first of a name hides
the others. A file's name is used without its extension.`,
		RunE: app.Run(func(context.Context, []string) error {
			all := items(a)
			if asJSON {
				return a.JSON(all)
			}
			for _, i := range all {
				where := ""
				if i.From != builtIn {
					where = " (" + displayPath(a, i.From) + ")"
				}
				a.Printf("%-9s %-21s %s\n", i.Kind, i.Name, text.VisibleLine(text.FirstLine(i.Text)+where))
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}

func show(a *app.App) *cobra.Command {
	return &cobra.Command{
		ValidArgsFunction: complete(a, "loop"),
		Use:               "show NAME", Short: "Print a pipeline or a built-in loop as it would run", Args: cobra.ExactArgs(1),
		Example: "  warp pipeline show debate\n  warp pipeline show review",
		RunE: app.Run(func(_ context.Context, args []string) error {
			if text, ok := library.Loop(args[0]); ok && findPipeline(a, args[0]) == "" {
				a.Printf("%s", text)
				return nil
			}
			def, err := readPipeline(a, args[0], sessions.ReadForDisplay)
			if err != nil {
				return err
			}
			a.Printf("%s", text.Visible(string(def.Text)))
			return nil
		}),
	}
}

// displayPath returns a path as the user would type it.
func displayPath(a *app.App, file string) string {
	if rel, err := filepath.Rel(a.Dir, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}
