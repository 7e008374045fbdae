package judge

import (
	"context"
	"fmt"
)

// Messages for commands that pass in the project but fail in a clean checkout, where they could
// prove nothing.
const (
	Unready  = "the tests pass in the project, and fail in a clean checkout of it, where work is judged"
	SayReady = "say what they need with warp config set worktree_setup 'COMMAND' or warp config set worktree_copy '[\"PATTERN\"]'"
)

// UnreadyError reports a command that passes only in the project's own folder.
type UnreadyError struct {
	Line   string
	Result CommandResult
}

func (e *UnreadyError) Error() string {
	return fmt.Sprintf("%s: %s; %s", Unready, e.Result, SayReady)
}

// CheckReady runs commands on a site before any work is done there. One that fails there but passes
// in the project's folder is an *UnreadyError, found before money is spent.
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
			return &UnreadyError{c.Line, said}
		}
	}
	return nil
}
