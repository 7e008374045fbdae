// Warp-fleet spreads warp's work over several repositories and machines. It is a separate program,
// so that nothing of it is linked into the others.
package main

import (
	"os"
	_ "time/tzdata" // quiet hours are those of the fleet's zone also on a machine without zone data

	"warp/internal/cli/fleetcmd"
)

func main() { os.Exit(fleetcmd.Main(os.Args[1:], os.Stdout, os.Stderr)) }
