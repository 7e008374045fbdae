package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	short "warp/internal/core/text"
	"warp/internal/sys/proc"
)

// maxVersion bounds a version's length: a program may print anything.
const maxVersion = 60

// AskVersion asks a program for its version, the first line that it prints. broken says why there
// is none: then the agent is unusable too.
func AskVersion(ctx context.Context, path string, patience time.Duration) (version, broken string) {
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
