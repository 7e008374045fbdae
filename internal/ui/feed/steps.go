package feed

import (
	"fmt"

	"warp/internal/core/drivestate"
)

// step describes what a drive is doing.
func step(s *drivestate.State) string {
	if s.Phase == drivestate.Merging && s.Session.Level == 2 {
		return "opening the pull request"
	}
	text := drivestate.Describe(s.Phase, s.Chunk.Index, s.Chunk.Total)
	if n := s.Budgets.RetryCount; n > 0 && text != s.Phase.Label() {
		text += fmt.Sprintf(", attempt %d", n+1)
	}
	return text
}
