// Warp-ui has the commands of warp that show things: the terminal UI, the web page and the metrics
// for monitoring. Linking their dependencies would slow every start of warp, so it is a separate
// program, which warp executes for them.
package main

import (
	"os"

	"warp/internal/cli"
	"warp/internal/cli/uicommands"
)

func main() { os.Exit(cli.Main(os.Args[1:], uicommands.Commands...)) }
