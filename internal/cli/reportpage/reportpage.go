// Package reportpage is warp report in the program that can make pages.
package reportpage

import (
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/report"
	"warp/internal/ui/feed"
	"warp/internal/ui/nightcopy"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	return report.With(a, func(f *feed.Feed, r report.Account, from, to time.Time) ([]byte, error) {
		return nightcopy.Render(nightcopy.Night{From: from, Now: to, Digest: r.Digest, Work: r.Work, Feed: f})
	})
}
