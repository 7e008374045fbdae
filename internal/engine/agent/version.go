package agent

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	short "warp/internal/core/text"
	"warp/internal/sys/proc"
)

// maxVersion bounds a version's length: a program may print anything.
const maxVersion = 60

// FindProgram looks for an agent's program and asks for its version. It reports whether the agent
// can be asked further; install is the command that installs it.
func FindProgram(ctx context.Context, program string, patience time.Duration, name, install string) (h Health, works bool) {
	path, err := exec.LookPath(program)
	if err != nil {
		return Health{Advice: "install " + name + ": " + install}, false
	}
	h = Health{Installed: true, Path: path}
	if h.Version, h.Broken = askVersion(ctx, path, patience); h.Broken != "" {
		h.Advice = "install " + name + " again: " + install
	}
	return h, h.Broken == ""
}

// askVersion asks a program for its version, the first line that it prints. broken says why there
// is none: then the agent is unusable too.
func askVersion(ctx context.Context, path string, patience time.Duration) (version, broken string) {
	asked := filepath.Base(path) + " --version"
	r, err := proc.Run(ctx, proc.Cmd{Argv: []string{path, "--version"}, Timeout: patience})
	switch {
	case r.TimedOut, errors.Is(err, context.DeadlineExceeded):
		return "", asked + " did not answer in time"
	case err != nil:
		return "", fmt.Sprintf("%s cannot be run: %v", asked, err)
	case r.Exit != 0:
		why := ""
		if last := LastLine(string(r.Stderr)); last != "" {
			why = ": " + last
		}
		return "", fmt.Sprintf("%s fails with exit code %d%s", asked, r.Exit, why)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(r.Stdout)), "\n")
	return short.ClipRunes(short.Flat(line), maxVersion), ""
}
