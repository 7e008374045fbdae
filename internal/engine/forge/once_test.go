package forge

import (
	"slices"
	"testing"
)

func TestDependenciesInTheWaysThatPeopleWriteThem(t *testing.T) {
	for text, want := range map[string][]int{
		"**Depends on:** #14":                         {14},
		"Blocked by [#14](https://x.example/14), #15": {14, 15},
		"depends on (#3) and *#4*":                    {3},
		"Depends on nothing":                          nil,
	} {
		if got := Dependencies(text); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
