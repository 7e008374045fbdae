package session

import (
	"testing"

	"warp/internal/core/livestate"
)

func TestWhatALoopDoesNamesItsBound(t *testing.T) {
	for want, n := range map[string]Note{
		"iteration 2 of at most 5":          {Kind: Iterating, Iteration: 2, Most: 5},
		"stage review, iteration 1":         {Kind: Iterating, Stage: "review", Iteration: 1},
		"stage review":                      {Kind: Staged, Stage: "review"},
		"iteration 3 of at most 3, testing": {Kind: Phased, Iteration: 3, Most: 3, Text: "TESTING"},
	} {
		var s livestate.State
		if n.Show(&s); s.Doing != want {
			t.Errorf("%q, want %q", s.Doing, want)
		}
	}
}
