// Package screens lists the commands that show things: those of the program warp-ui.
package screens

import (
	"warp/internal/cli"
	"warp/internal/cli/exportcmd"
	"warp/internal/cli/reportpage"
	"warp/internal/cli/watchcmd"
	"warp/internal/cli/webcmd"
)

// Commands are the commands that warp leaves to warp-ui.
var Commands = []cli.Command{
	{Name: "export", Make: exportcmd.New},
	{Name: "metrics", Make: exportcmd.NewMetrics},
	{Name: "watch", Make: watchcmd.New},
	{Name: "report", Make: reportpage.New},
	{Name: "web", Make: webcmd.New},
}
