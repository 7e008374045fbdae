// Package netcommands lists the commands of warp-net: those that drive, use the network, or set up
// a project.
package netcommands

import (
	"warp/internal/cli"
	"warp/internal/cli/agentcmd"
	"warp/internal/cli/clean"
	"warp/internal/cli/democmd"
	"warp/internal/cli/devcmd"
	"warp/internal/cli/docscmd"
	"warp/internal/cli/doctor"
	"warp/internal/cli/drivecmd"
	"warp/internal/cli/initcmd"
	"warp/internal/cli/issue"
	"warp/internal/cli/mcpcmd"
	"warp/internal/cli/pipelinecmd"
	"warp/internal/cli/quickstart"
	"warp/internal/cli/rdb"
	"warp/internal/cli/recover"
	"warp/internal/cli/resumecmd"
	"warp/internal/cli/sandboxes"
	"warp/internal/cli/sessions"
	"warp/internal/cli/testcmd"
	"warp/internal/cli/workflowcmd"
)

// Commands are the commands that warp leaves to warp-net.
var Commands = []cli.Command{
	{Name: "agent", Make: agentcmd.New},
	{Name: "checkpoint", Make: workflowcmd.NewCheckpoint},
	{Name: "clean", Make: clean.New},
	{Name: "demo", Make: democmd.New},
	{Name: "dev", Make: devcmd.New},
	{Name: "docs", Make: docscmd.New},
	{Name: "doctor", Make: doctor.New},
	{Name: "drive", Make: drivecmd.New},
	{Name: "init", Make: initcmd.New},
	{Name: "issue", Make: issue.New},
	{Name: "locks", Make: sessions.NewLocks},
	{Name: "loop", Make: pipelinecmd.NewLoop},
	{Name: "mcp", Make: mcpcmd.New},
	{Name: "pipeline", Make: pipelinecmd.New},
	{Name: "quickstart", Make: quickstart.New},
	{Name: "rdb", Make: rdb.New},
	{Name: "recover", Make: recover.New},
	{Name: "resume", Make: resumecmd.New},
	{Name: "sandbox", Make: sandboxes.NewCommand},
	{Name: "sessions", Make: sessions.New},
	{Name: "state", Make: drivecmd.NewState},
	{Name: "test", Make: testcmd.New},
	{Name: "workflow", Make: workflowcmd.New},
}
