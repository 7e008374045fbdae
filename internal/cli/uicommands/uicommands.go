// Package uicommands lists the commands of warp-ui, which show things.
package uicommands

import (
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli"
	"warp/internal/cli/app"
	"warp/internal/cli/exportcmd"
	"warp/internal/cli/report"
	"warp/internal/cli/watchcmd"
	"warp/internal/cli/webcmd"
	"warp/internal/ui/feed"
	"warp/internal/ui/nightcopy"
)

// Commands are the commands that warp leaves to warp-ui.
var Commands = []cli.Command{
	{Name: "export", Make: exportcmd.New},
	{Name: "metrics", Make: exportcmd.NewMetrics},
	{Name: "watch", Make: watchcmd.New},
	{Name: "report", Make: newReport},
	{Name: "web", Make: webcmd.New},
}

// newReport returns warp report with HTML pages.
func newReport(a *app.App) *cobra.Command {
	return report.With(a, func(f *feed.Feed, r report.Account, from, to time.Time) ([]byte, error) {
		return nightcopy.Render(nightcopy.Night{From: from, Now: to, Digest: r.Digest, Work: r.Work, Feed: f})
	})
}
