package dev_test

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/engine/contain"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// Variables by which the supervisor of a test knows its sandbox.
const (
	boxEnv  = "WARP_DEV_TEST_BOX"
	userEnv = "WARP_DEV_TEST_USER" // the home folder of the user
)

// confining makes the sandboxes of a test, whose work tree has git's folder and warp's;
// nil where its environment names none.
func confining(root string, environ []string) func(proc.Cmd, contain.Command) (proc.Cmd, func() error, error) {
	kind, user := sandbox.Kind(variable(environ, boxEnv)), variable(environ, userEnv)
	if kind == "" {
		return nil
	}
	return func(c proc.Cmd, o contain.Command) (proc.Cmd, func() error, error) {
		self, err := os.Executable()
		if err != nil {
			return c, nil, err
		}
		box, _, err := sandbox.Open(sandbox.Options{Kind: kind, Self: self})
		if err != nil {
			return c, nil, err
		}
		w := contain.Walls{Box: box, Root: root, State: filepath.Join(user, ".local", "state", "warp"), Environ: append(slices.Clone(environ), "HOME="+user), Programs: []string{self},
			Settings: contain.Settings{Env: []string{"WARP_DEV_TEST", "GORACE"}}}
		o.Top, o.Frozen = root, []string{filepath.Join(root, ".git"), filepath.Join(root, ".claude")}
		run, err := w.ConfineCommand(c, o)
		if err != nil {
			return c, nil, err
		}
		return run.Cmd, run.Close, nil
	}
}

func variable(environ []string, name string) string {
	for _, v := range environ {
		if text, ok := strings.CutPrefix(v, name+"="); ok {
			return text
		}
	}
	return ""
}

// dial connects to a Unix socket, as a command of a project would.
func dial() error {
	c, err := net.Dial("unix", os.Args[len(os.Args)-1])
	if err != nil {
		return err
	}
	return c.Close()
}
