// Package judge finds out whether work is what it claims to be: it runs the
// project's own commands, reads a verifier's verdicts by one rule, and looks for
// tests that were made worth less. An agent's word counts for nothing here.
//
// One way runs a command for a shell, with a time limit, in one environment, and
// with one kind of excerpt; every engine uses it. What is to be judged, and what a
// verdict leads to, is left to them.
package judge

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"warp/internal/core/redact"
	"warp/internal/core/testoutput"
	"warp/internal/sys/proc"
)

// CommandTime is how long a command may take that has no bound of its own.
const CommandTime = 30 * time.Minute

const (
	outputMost  = 2 << 20 // bytes that are looked at, the last
	excerptMost = 3_000   // bytes of a failing command that an agent is told
	// NotFound is what a shell says of a command that is not there.
	NotFound = 127
)

// Command is one of the project's own, for a shell.
type Command struct {
	Line    string
	Environ []string      // of the process; CI=1 is added
	Log     string        // where its whole output is kept; "": nowhere
	Limit   time.Duration // 0: CommandTime
	// Left is what is left of the time of the work that it is a part of, asked when
	// the command begins and again when that is used up: a person may have allowed
	// more meanwhile. Nil: the work has all the time there is.
	Left func() time.Duration
	// Redact takes secrets out of what Log keeps, beside those of Environ; nil: only
	// those.
	Redact func(string) string

	names *testoutput.Reader // is told of all that it says; nil: nothing reads it
}

// OutOfTimeError says that the time of the work was used up before a command had said
// anything that counts. It is no verdict on the work.
type OutOfTimeError struct{ Line string }

func (e *OutOfTimeError) Error() string {
	return fmt.Sprintf("the time is used up: %q was ended before its end", e.Line)
}

// Said is what came of a command.
type Said struct {
	Line     string
	Passed   bool
	Exit     int
	TimedOut bool
	Limit    time.Duration
	Seconds  float64
	Output   string
}

// ErrNoShell says that there is no shell to run commands with.
var ErrNoShell = errors.New("there is no shell to run commands with")

// Run runs a command. The error is the context's, or says that it could not even
// be started: that it fails is no error.
func (p *Place) Run(ctx context.Context, c Command) (Said, error) {
	if c.Limit <= 0 {
		c.Limit = CommandTime
	}
	if p.unfit != nil {
		return Said{Line: c.Line, Exit: 1, Limit: c.Limit, Output: p.unfit.Error()}, nil
	}
	ends := time.Now().Add(c.Limit)
	left := func() time.Duration {
		if c.Left == nil {
			return time.Until(ends)
		}
		return min(c.Left(), time.Until(ends))
	}
	first := left()
	if first <= 0 {
		return Said{}, &OutOfTimeError{c.Line}
	}
	cmd, done, err := p.confine(proc.Cmd{Argv: []string{"sh", "-c", c.Line}, Env: append(redact.ForProject(c.Environ), "CI=1"),
		Log: c.Log, Clean: c.cleaner(), Keep: outputMost, Timeout: first, More: left})
	if err != nil {
		return Said{}, fmt.Errorf("running %q: %w", c.Line, err)
	}
	res, err := proc.Run(ctx, cmd)
	bad := done()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return Said{}, fmt.Errorf("running %q: %w", c.Line, ErrNoShell)
	case err != nil && ctx.Err() != nil:
		return Said{}, ctx.Err()
	case err != nil || bad != nil:
		return Said{}, fmt.Errorf("running %q: %w", c.Line, errors.Join(err, bad))
	case res.TimedOut && time.Now().Before(ends):
		return Said{}, &OutOfTimeError{c.Line}
	}
	return Said{Line: c.Line, Passed: res.Exit == 0 && !res.TimedOut, Exit: res.Exit, TimedOut: res.TimedOut, Limit: c.Limit,
		Seconds: res.Duration.Seconds(), Output: string(plain(res.Output))}, nil
}

// Excerpt is the failing part of what a command said.
func (s Said) Excerpt() string {
	excerpt := testoutput.Excerpt(s.Output, excerptMost)
	if s.TimedOut {
		excerpt += fmt.Sprintf("\nIt did not end within %s and was killed.\n", s.Limit)
	}
	return excerpt
}

// String tells an agent what failed.
func (s Said) String() string {
	s.Output = testoutput.Excerpt(s.Output, excerptMost)
	return s.Whole()
}

// Whole is String with all of the output, for those who look for names in it.
func (s Said) Whole() string {
	how := fmt.Sprintf("ended with %d", s.Exit)
	if s.TimedOut {
		how = fmt.Sprintf("was ended after %s", s.Limit)
	}
	return strings.TrimSuffix(strings.TrimSpace(fmt.Sprintf("%s %s:\n%s", s.Line, how, s.Output)), ":")
}
