// Warp-ui has the commands of warp that show things: the terminal UI, the web page and
// what monitoring reads. What that needs is paid at every start, so it is a program of
// its own, which warp turns into when one of them is wanted.
package main

import (
	"os"

	"warp/internal/cli"
	"warp/internal/cli/screens"
)

func main() { os.Exit(cli.Main(os.Args[1:], screens.Commands...)) }
