//go:build !unix

package main

import "os/exec"

// watched runs a program; how much memory it held is not told here.
func watched(cmd *exec.Cmd) (float64, error) { return 0, cmd.Run() }
