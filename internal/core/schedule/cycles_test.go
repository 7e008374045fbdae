package schedule_test

import (
	"fmt"
	"testing"

	"warp/internal/core/schedule"
)

func TestFindCycles(t *testing.T) {
	for name, c := range map[string]struct {
		waits [][]int
		want  string
	}{
		"nothing":                {nil, "[]"},
		"a chain":                {[][]int{{}, {0}, {0, 1}}, "[]"},
		"one for itself":         {[][]int{{0}}, "[[0]]"},
		"a ring":                 {[][]int{{2}, {0}, {1}}, "[[0 2 1]]"},
		"the shortest of a ring": {[][]int{{1, 2}, {2}, {0}}, "[[0 2]]"},
		"two rings":              {[][]int{{1}, {0}, {1, 3}, {2}}, "[[0 1] [2 3]]"},
		"behind a ring":          {[][]int{{1}, {2}, {1}}, "[[1 2]]"},
	} {
		if got := fmt.Sprint(schedule.FindCycles(c.waits)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
