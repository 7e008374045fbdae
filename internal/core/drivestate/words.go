package drivestate

import (
	"fmt"
	"slices"
)

// words are the phases of a drive in plain words.
var words = map[Phase]string{
	Idle:                "idle",
	Prerequisites:       "checking what it needs",
	Discovering:         "looking for work",
	Planning:            "planning",
	Chunking:            "splitting the work into chunks",
	Coding:              "coding",
	UpdatingDocs:        "checking off criteria",
	Testing:             "testing",
	Committing:          "committing",
	DocDriftCheck:       "checking the documentation",
	Reporting:           "filing a report",
	ChunkComplete:       "going on to the next chunk",
	RequirementComplete: "testing all of it",
	Merging:             "merging",
	AwaitingContinue:    "done, choosing what is next",
	SessionEnding:       "filing the summary",
	BudgetExceeded:      "stopped by a budget",
	Aborted:             "cleaning up",
	Completed:           "ended",
}

// chunked are the phases that are about one chunk.
var chunked = []Phase{Coding, UpdatingDocs, Testing, Committing, DocDriftCheck, Reporting}

// Words is a phase in plain words.
func (p Phase) Words() string { return words[p] }

// Describe is what a drive does in a phase, in plain words.
func Describe(p Phase, chunk, total int) string {
	if slices.Contains(chunked, p) && total > 0 {
		return fmt.Sprintf("%s, chunk %d of %d", words[p], chunk, total)
	}
	return words[p]
}
