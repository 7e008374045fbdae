package judge

import (
	"context"
	"strings"
	"time"

	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// Shell is the one that runs commands, asked whether it would take them. It runs none of
// them: it reads them, and tries what it knows on lines of our own.
type Shell struct {
	environ []string
	knows   map[string]bool
}

// NewShell is the shell that commands with such an environment are run by.
func NewShell(environ []string) *Shell { return &Shell{environ: environ, knows: map[string]bool{}} }

// readTime is enough for a shell to read a line.
const readTime = 10 * time.Second

// Refuses says why the shell would not take a command; "": it would, or there is none
// here that could be asked.
func (s *Shell) Refuses(ctx context.Context, command string) string {
	if exit, said := s.ask(ctx, command+"\n", "-n"); exit > 0 {
		return "sh, which runs it, cannot read this command: " + said
	}
	for _, b := range taskdoc.Bashisms(command) {
		known, asked := s.knows[b.Probe]
		if !asked {
			exit, _ := s.ask(ctx, b.Probe+"\n")
			known = exit <= 0
			s.knows[b.Probe] = known
		}
		if !known {
			return b.What + " is bash's, and sh, which runs it, does not take it; write it otherwise, or as bash -c '…'"
		}
	}
	return ""
}

// ask has the shell read lines; -1: it could not be asked.
func (s *Shell) ask(ctx context.Context, lines string, flags ...string) (exit int, said string) {
	res, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{"sh"}, flags...), Env: s.environ, Stdin: strings.NewReader(lines), Timeout: readTime})
	if err != nil || res.TimedOut {
		return -1, ""
	}
	return res.Exit, reasonIn(string(res.Output))
}

// reasonIn is what a shell complains of, without its own name and the place.
func reasonIn(output string) string {
	line := text.Opening(output)
	if _, why, ok := strings.Cut(line, "yntax error: "); ok {
		return why
	}
	return line
}
