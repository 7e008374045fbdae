package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/sys/proc"
)

// netProgram has the commands that talk to the network.
const netProgram = "warp-net"

// netCommand is a command that warp leaves to warp-net: it becomes that program,
// with the same arguments.
func netCommand(name, short string) func(*app.App) *cobra.Command {
	return func(a *app.App) *cobra.Command {
		return &cobra.Command{
			Use: name, Short: short, DisableFlagParsing: true,
			RunE: func(_ *cobra.Command, args []string) error {
				path, err := beside(netProgram)
				if err != nil {
					return err
				}
				return proc.Become(path, append([]string{name}, args...), a.Environ)
			},
		}
	}
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
		return "", fmt.Errorf("the program %s is missing, which has this command: install it beside warp (make install)", name)
	}
	return filepath.Abs(path)
}
