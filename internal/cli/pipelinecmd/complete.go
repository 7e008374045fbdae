package pipelinecmd

import (
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
)

// complete completes the first argument with names of pipelines, and of the kinds in also.
func complete(a *app.App, also ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, i := range items(a) {
			if i.Kind == "pipeline" || slices.Contains(also, i.Kind) {
				names = append(names, cobra.CompletionWithDesc(i.Name, text.FirstLine(i.Text)))
			}
		}
		return names, cobra.ShellCompDirectiveDefault // files are allowed, too
	}
}
