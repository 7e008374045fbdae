package programs

import "os"

// Built is a folder in which the programs are already, or "": make run builds them once
// for all packages.
func Built() string { return os.Getenv("WARP_TEST_PROGRAMS") }
