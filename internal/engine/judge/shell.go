package judge

import (
	"context"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// Shell checks whether the shell that runs commands would accept them. It runs none of them: the
// shell only parses them, and runs probes of our own.
type Shell struct {
	environ   []string
	supported map[string]bool
}

// NewShell returns the shell that runs commands with an environment.
func NewShell(environ []string) *Shell { return &Shell{environ: environ, supported: map[string]bool{}} }

// readTime is enough for a shell to read a line.
const readTime = 10 * time.Second

// WhyRefused returns why the shell would not run a command; "" if it would, or if there is no shell
// to ask.
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

// runShell feeds lines to the shell; -1 if it could not be started.
func (s *Shell) runShell(ctx context.Context, lines string, flags ...string) (exit int, said string) {
	res, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{"sh"}, flags...), Env: s.environ, Stdin: strings.NewReader(lines), Timeout: readTime})
	if err != nil || res.TimedOut {
		return -1, ""
	}
	return res.Exit, readReason(string(res.Output))
}

// readReason returns a shell's complaint, without its name and the position.
func readReason(output string) string {
	line := text.Opening(output)
	if _, why, ok := strings.Cut(line, "yntax error: "); ok {
		return why
	}
	return line
}
