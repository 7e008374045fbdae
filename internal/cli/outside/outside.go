// Package outside lists the commands that talk to the network: those of the
// program warp-net.
package outside

import (
	"warp/internal/cli"
	"warp/internal/cli/demo"
	"warp/internal/cli/drivecmd"
	"warp/internal/cli/issue"
)

// Commands are the commands that warp leaves to warp-net.
var Commands = []cli.Command{
	{Name: "demo", Make: demo.New},
	{Name: "drive", Make: drivecmd.New},
	{Name: "issue", Make: issue.New},
	{Name: "resume", Make: drivecmd.Resume},
}
