// Warp drives a coding agent from approved work to merged, with evidence.
package main

import (
	"os"

	"warp/internal/cli"
	"warp/internal/sys/sandbox"
	"warp/internal/sys/stack"
)

func main() {
	sandbox.Inside(os.Args[1:])
	stack.Grow()
	os.Exit(cli.Main(os.Args[1:]))
}
