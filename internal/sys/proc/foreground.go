package proc

import (
	"context"
	"os"
	"os/exec"
)

// Foreground runs an interactive program, such as an editor, and waits for it. It stays in our
// process group, which alone may read the terminal.
func Foreground(ctx context.Context, argv []string) error {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	return c.Run()
}
