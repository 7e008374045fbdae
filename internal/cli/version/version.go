// Package version is warp version.
package version

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
)

// Number is the release; the build sets it.
var Number = "dev"

// New makes the command.
func New(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: app.Run(func(context.Context, []string) error {
			v := struct {
				Version string `json:"version"`
				Commit  string `json:"commit,omitempty"`
				Go      string `json:"go"`
				System  string `json:"system"`
			}{Number, commit(), runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
			if asJSON {
				return a.JSON(v)
			}
			if v.Commit != "" {
				v.Commit = fmt.Sprintf(" (%s)", v.Commit)
			}
			a.Printf("warp %s%s, %s, %s\n", v.Version, v.Commit, v.Go, v.System)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

func commit() string {
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
