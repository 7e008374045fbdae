package feed

import (
	"fmt"
	"slices"

	"warp/internal/core/drivestate"
)

// words are the phases of a drive in plain words.
var words = map[drivestate.Phase]string{
	drivestate.Idle:                "idle",
	drivestate.Prerequisites:       "checking what it needs",
	drivestate.Discovering:         "looking for work",
	drivestate.Planning:            "planning",
	drivestate.Chunking:            "splitting the work into chunks",
	drivestate.Coding:              "coding",
	drivestate.UpdatingDocs:        "checking off criteria",
	drivestate.Testing:             "testing",
	drivestate.Committing:          "committing",
	drivestate.DocDriftCheck:       "checking the documentation",
	drivestate.Reporting:           "filing a report",
	drivestate.ChunkComplete:       "going on to the next chunk",
	drivestate.RequirementComplete: "testing all of it",
	drivestate.Merging:             "merging",
	drivestate.AwaitingContinue:    "done, choosing what is next",
	drivestate.SessionEnding:       "filing the summary",
	drivestate.BudgetExceeded:      "stopped by a budget",
	drivestate.Aborted:             "cleaning up",
	drivestate.Completed:           "ended",
}

// chunked are the phases that are about one chunk.
var chunked = []drivestate.Phase{drivestate.Coding, drivestate.UpdatingDocs, drivestate.Testing, drivestate.Committing, drivestate.DocDriftCheck, drivestate.Reporting}

// step is what a drive does, in plain words.
func step(s *drivestate.State) string {
	text := words[s.Phase]
	if s.Phase == drivestate.Merging && s.Session.Level == 2 {
		text = "opening the pull request"
	}
	if slices.Contains(chunked, s.Phase) && s.Chunk.Total > 0 {
		text += fmt.Sprintf(", chunk %d of %d", s.Chunk.Index, s.Chunk.Total)
		if n := s.Budgets.RetryCount; n > 0 {
			text += fmt.Sprintf(", attempt %d", n+1)
		}
	}
	return text
}
