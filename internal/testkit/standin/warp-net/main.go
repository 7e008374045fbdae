// Warp-net is the program of that name for tests: its demo agent also plays loops,
// workflows and what a test asks it for.
package main

import (
	"os"

	"warp/internal/adapter/agent/demo"
	"warp/internal/cli"
	"warp/internal/cli/netcommands"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
	"warp/internal/testkit/standin"
)

func main() {
	sandbox.Inside(os.Args[1:])
	proc.GrowStack()
	demo.More = standin.Answer
	os.Exit(cli.Main(os.Args[1:], netcommands.Commands...))
}
