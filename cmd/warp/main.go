// Warp drives a coding agent from approved work to merged, with evidence.
package main

import (
	"os"

	"warp/internal/cli"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

func main() {
	sandbox.Inside(os.Args[1:])
	proc.GrowStack()
	os.Exit(cli.Main(os.Args[1:]))
}
