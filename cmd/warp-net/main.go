// Warp-net has the commands of warp that drive, talk to the network or set up a project. Linking
// their dependencies would slow every start of warp, so it is a separate program, which warp
// executes for them.
package main

import (
	"os"

	"warp/internal/cli"
	"warp/internal/cli/netcommands"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

func main() {
	sandbox.Inside(os.Args[1:])
	proc.GrowStack()
	os.Exit(cli.Main(os.Args[1:], netcommands.Commands...))
}
