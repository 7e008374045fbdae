// Warp-net has the commands of warp that drive, talk to the network or set a project up.
// What they link is paid at every start, so it is a program of its own, which warp turns
// into when one of them is wanted.
package main

import (
	"os"

	"warp/internal/cli"
	"warp/internal/cli/outside"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

func main() {
	sandbox.Inside(os.Args[1:])
	proc.GrowStack()
	os.Exit(cli.Main(os.Args[1:], outside.Commands...))
}
