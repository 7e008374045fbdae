package judge

import (
	"context"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// Shell is the one that runs commands, asked whether it would take them. It runs none of
// them: it reads them, and tries what it knows on lines of our own.
type Shell struct {
	environ   []string
	supported map[string]bool
}

// NewShell is the shell that commands with such an environment are run by.
func NewShell(environ []string) *Shell { return &Shell{environ: environ, supported: map[string]bool{}} }

// readTime is enough for a shell to read a line.
const readTime = 10 * time.Second

// WhyRefused says why the shell would not run a command; "": it would, or there is no
// shell to ask.
func (s *Shell) WhyRefused(ctx context.Context, command string) string {
	if exit, said := s.runShell(ctx, command+"\n", "-n"); exit > 0 {
		return "sh, which runs it, cannot read this command: " + said
	}
	for _, b := range findBashisms(command) {
		known, asked := s.supported[b.probe]
		if !asked {
			exit, _ := s.runShell(ctx, b.probe+"\n")
			known = exit <= 0
			s.supported[b.probe] = known
		}
		if !known {
			return b.what + " is bash's, and sh, which runs it, does not take it; write it otherwise, or as bash -c '…'"
		}
	}
	return ""
}

// runShell has the shell read lines; -1: it could not be started.
func (s *Shell) runShell(ctx context.Context, lines string, flags ...string) (exit int, said string) {
	res, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{"sh"}, flags...), Env: s.environ, Stdin: strings.NewReader(lines), Timeout: readTime})
	if err != nil || res.TimedOut {
		return -1, ""
	}
	return res.Exit, readReason(string(res.Output))
}

// readReason is a shell's complaint, without its own name and the place.
func readReason(output string) string {
	line := text.Opening(output)
	if _, why, ok := strings.Cut(line, "yntax error: "); ok {
		return why
	}
	return line
}
