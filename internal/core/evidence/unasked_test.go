package evidence_test

import (
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/core/scope"
)

// Each drive numbers its chunks, so the first chunk of the next one says nothing of an earlier one's.
func TestUnaskedFilesOfSeveralDrives(t *testing.T) {
	var b evidence.Book
	left := []scope.Point{{File: "NOTES.md", Why: "looks left over"}}
	for _, u := range []evidence.Unasked{
		{Epoch: 1, Chunk: 1, Stage: evidence.UnaskedTold, Points: left}, {Epoch: 1, Chunk: 1, Stage: evidence.UnaskedStands, Points: left},
		{Epoch: 2, Chunk: 1, Stage: evidence.UnaskedStands},
	} {
		b.Unasked = append(b.Unasked, evidence.Entry[evidence.Unasked]{Row: u})
	}
	if have := b.UnaskedFiles(); len(have) != 1 || have[0].End != "left" {
		t.Errorf("%+v", have)
	}
}
