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

// maxVersion is how long a version can be: a program may print what it likes.
const maxVersion = 60

// AskVersion asks a program for its version, the first line that it prints. Broken says why
// there is none: the agent cannot be used either.
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
