// Warp drives a coding agent from approved work to merged, with evidence.
package main

import (
	"os"

	"warp/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
