package judge

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"warp/internal/core/text"
)

// Messages for commands that pass in the project but fail in a clean checkout, where they could
// prove nothing.
const (
	Unready  = "the tests pass in the project, and fail in a clean checkout of it, where work is judged"
	SayReady = "say what they need with warp config set worktree_setup 'COMMAND' or warp config set worktree_copy '[\"PATTERN\"]'"
)

// noModule is all that Python says if the module that it should run is not there.
var noModule = regexp.MustCompile(`^\S*python[0-9.]*: No module named \S+$`)

// RunsNothing reports whether a command ended without running anything: its program, or Python's
// module, is not there. That is no failing test.
func RunsNothing(exit int, output string) bool {
	return exit == NotFound || exit != 0 && noModule.MatchString(strings.TrimSpace(output))
}

// UnreadyError reports a command that passes only in the project's own folder, or nowhere.
type UnreadyError struct {
	Line    string
	Result  CommandResult
	Missing bool // it runs nothing
}

func (e *UnreadyError) Error() string {
	if e.Missing {
		return fmt.Sprintf("the tests do not run, before any change: %s: %s; %s", e.Line, text.FirstLine(e.Result.Output), e.Do())
	}
	return fmt.Sprintf("%s: %s; %s", Unready, e.Result, SayReady)
}

// Do says what a person can do about it.
func (e *UnreadyError) Do() string {
	if e.Missing {
		return `install what is missing, or warp config set test_command "…"`
	}
	return SayReady
}

// CheckReady runs commands on a site before any work is done there. One that fails there but passes
// in the project's folder is an *UnreadyError, found before money is spent, and so are the project's
// tests if they run nothing: a criterion's command may name what the work makes.
func (s Site) CheckReady(ctx context.Context, commands ...Command) error {
	if s.Rooms == nil || s.Tree == "" {
		return nil
	}
	for _, c := range commands {
		said, err := s.Run(ctx, c)
		if err != nil {
			return err
		}
		if said.Passed || said.TimedOut {
			continue
		}
		here, err := Site{Dir: s.Dir}.Run(ctx, c)
		if err != nil {
			return err
		}
		if here.Passed {
			return &UnreadyError{Line: c.Line, Result: said}
		}
		if c.Tests && RunsNothing(said.Exit, said.Output) {
			return &UnreadyError{Line: c.Line, Result: said, Missing: true}
		}
	}
	return nil
}
