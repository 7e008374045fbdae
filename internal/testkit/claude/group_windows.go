package claude

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// killGroup reaches Claude Code alone: there is no group without a job object.
func killGroup(leader *os.Process) { _ = leader.Kill() }

func exitCode(s *os.ProcessState) int { return s.ExitCode() }
