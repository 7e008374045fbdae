//go:build !unix

package main

import (
	"os/exec"
	"time"
)

// ownCPU runs a program and returns its CPU time, including its children's.
func ownCPU(cmd *exec.Cmd) (time.Duration, error) {
	err := cmd.Run()
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), err
}

// watched runs a program; its memory cannot be measured here.
func watched(cmd *exec.Cmd) (float64, error) { return 0, cmd.Run() }
