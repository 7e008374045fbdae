// Package judge checks whether work is what it claims to be: it runs the project's own
// commands, reads a verifier's verdicts by one rule, and detects weakened tests. An
// agent's word counts for nothing here.
//
// All engines run commands the same way: by a shell, with a time limit, in one
// environment, with one kind of excerpt. They decide what is judged, and what a verdict
// leads to.
package judge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"warp/internal/core/leakscan"
	"warp/internal/core/redact"
	"warp/internal/core/testoutput"
	"warp/internal/sys/proc"
)

// CommandTime is the time limit of a command that sets none.
const CommandTime = 30 * time.Minute

const (
	maxOutput  = 2 << 20 // bytes of output that are kept, the last ones
	maxExcerpt = 3_000   // bytes of a failing command's output that an agent gets
	// NotFound is a shell's exit code for a command that does not exist.
	NotFound = 127
)

// Command is a command of the project, run by a shell.
type Command struct {
	Line    string
	Tests   bool          // it is the project's tests
	Environ []string      // of the process; CI=1 is added
	Log     string        // where its whole output goes; "": nowhere
	Limit   time.Duration // 0: CommandTime
	// Left returns the time left for the work that the command belongs to. It is called when the
	// command starts and again when that time is up: a person may have allowed more meanwhile. Nil:
	// no such limit.
	Left func() time.Duration
	// Redact removes further secrets from Log besides those of Environ; may be nil.
	Redact func(string) string

	names *testoutput.Reader // reads names of tests from the output; may be nil
}

// OutOfTimeError reports that the work's time was up before a command ended. It is no verdict on
// the work.
type OutOfTimeError struct{ Line string }

func (e *OutOfTimeError) Error() string {
	return fmt.Sprintf("out of time: %q was stopped before it finished", e.Line)
}

// CommandResult is the result of a command.
type CommandResult struct {
	Line     string
	Passed   bool
	Exit     int
	TimedOut bool
	Limit    time.Duration
	Seconds  float64
	Output   string
}

// ErrNoShell means that there is no shell to run commands with.
var ErrNoShell = errors.New("there is no shell to run commands with")

// Run runs a command. It fails if the context ended or the command could not be started; a failing
// command is no error.
func (p *Place) Run(ctx context.Context, c Command) (CommandResult, error) {
	if c.Limit <= 0 {
		c.Limit = CommandTime
	}
	if p.unusable != nil {
		return CommandResult{Line: c.Line, Exit: 1, Limit: c.Limit, Output: p.unusable.Error()}, nil
	}
	awake := proc.AwakeClock(time.Now, nil)
	ends := awake().Add(c.Limit)
	left := func() time.Duration {
		own := ends.Sub(awake())
		if c.Left == nil {
			return own
		}
		return min(c.Left(), own)
	}
	first := left()
	if first <= 0 {
		return CommandResult{}, &OutOfTimeError{c.Line}
	}
	cmd, done, err := p.confine(proc.Cmd{Argv: []string{"sh", "-c", c.Line}, Env: append(redact.ForProject(c.Environ), "CI=1"),
		Log: c.Log, Clean: c.newRedactor(), Keep: maxOutput, Timeout: first, More: left})
	if err != nil {
		return CommandResult{}, fmt.Errorf("running %q: %w", c.Line, err)
	}
	res, err := proc.Run(ctx, cmd)
	bad := done()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return CommandResult{}, fmt.Errorf("running %q: %w", c.Line, ErrNoShell)
	case err != nil && ctx.Err() != nil:
		return CommandResult{}, ctx.Err()
	case err != nil || bad != nil:
		return CommandResult{}, fmt.Errorf("running %q: %w", c.Line, errors.Join(err, bad))
	case res.TimedOut && awake().Before(ends):
		return CommandResult{}, &OutOfTimeError{c.Line}
	}
	return CommandResult{Line: c.Line, Passed: res.Exit == 0 && !res.TimedOut, Exit: res.Exit, TimedOut: res.TimedOut, Limit: c.Limit,
		Seconds: res.Duration.Seconds(), Output: string(toPlainText(res.Output))}, nil
}

// Excerpt returns the failing part of a command's output.
func (s CommandResult) Excerpt() string {
	excerpt := testoutput.Excerpt(s.Output, maxExcerpt)
	if s.TimedOut {
		excerpt += fmt.Sprintf("\nIt did not end within %s and was killed.\n", s.Limit)
	}
	return excerpt
}

// String describes the failure for an agent.
func (s CommandResult) String() string {
	s.Output = testoutput.Excerpt(s.Output, maxExcerpt)
	return s.Whole()
}

// Whole is String with the whole output.
func (s CommandResult) Whole() string {
	how := fmt.Sprintf("ended with %d", s.Exit)
	if s.TimedOut {
		how = fmt.Sprintf("was stopped after %s", s.Limit)
	}
	return strings.TrimSuffix(strings.TrimSpace(fmt.Sprintf("%s %s:\n%s", s.Line, how, s.Output)), ":")
}

// maxRedacted bounds how much of a log all secret rules are tried on. Known values are removed from
// all of it.
const maxRedacted = 2 << 20

// newRedactor returns a filter that removes secrets from a command's log: tests print what they
// get, and a log is shown, filed and copied (a bridge's token was found in one).
func (c Command) newRedactor() func([]byte) []byte {
	if c.Log == "" {
		return nil
	}
	known, left := redact.New(c.Environ), maxRedacted
	return func(lines []byte) []byte {
		if c.names != nil {
			for line := range bytes.Lines(lines) {
				c.names.Line(line)
			}
		}
		lines = known.Bytes(toPlainText(lines))
		if c.Redact == nil || left <= 0 || len(leakscan.SuspiciousLines(lines)) == 0 {
			return lines
		}
		left -= len(lines)
		return []byte(c.Redact(string(lines)))
	}
}
