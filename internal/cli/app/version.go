package app

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"warp/internal/core/text"
)

// Version is the release; the build sets it.
var Version = "dev"

// NewVersion returns warp version.
func NewVersion(a *App) *cobra.Command {
	return a.WithJSON("print it as JSON", &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: Run(func(context.Context, []string) error {
			v := struct {
				Version string `json:"version"`
				Commit  string `json:"commit,omitempty"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{Version, builtCommit(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			return a.Show(v, func() {
				if v.Commit != "" {
					v.Commit = fmt.Sprintf(" (%s)", v.Commit)
				}
				a.Printf("warp %s%s, %s, %s\n", v.Version, v.Commit, v.Go, v.System)
			})
		}),
	})
}

func builtCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return text.Hash(s.Value)
		}
	}
	return ""
}
