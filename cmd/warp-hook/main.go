// Warp-hook is what Claude Code runs on each of its hook events. The concerns
// of the events live in internal/hook; this build has none yet, so it says so
// and guards nothing, which Claude Code shows to the user and passes over.
package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "warp-hook: this build has no hook concerns; nothing is guarded or recorded")
	os.Exit(1)
}
