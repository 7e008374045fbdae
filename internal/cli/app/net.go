package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"warp/internal/sys/proc"
)

// netProgram has the commands that talk to the network.
const netProgram = "warp-net"

// BecomeNet makes this process warp-net, with a command line of warp's.
func (a *App) BecomeNet(line []string) error {
	path, err := beside(netProgram)
	if err != nil {
		return err
	}
	return proc.Become(path, line, a.Environ)
}

// beside finds a program of ours: beside this one, else in PATH.
func beside(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("this command needs the program %s, which is missing: install it beside warp (make install)", name)
	}
	return filepath.Abs(path)
}
