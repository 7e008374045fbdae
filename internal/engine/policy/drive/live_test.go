package drive

import (
	"testing"

	"warp/internal/core/livestate"
)

// What watchers read says once how tests ended.
func TestAVerdictIsToldOnce(t *testing.T) {
	yes, no := true, false
	for want, n := range map[string]Note{
		"sh test.sh passed in 0.0 s": {Kind: "test", Text: "sh test.sh passed in 0.0 s", Passed: &yes},
		"failed make lint":           {Kind: "gate", Text: "make lint", Passed: &no},
		"running sh test.sh":         {Kind: "test", Text: "running sh test.sh"},
	} {
		var s livestate.State
		if n.show(&s); len(s.Recent) != 1 || s.Recent[0].Text != want {
			t.Errorf("%+v, want %q", s.Recent, want)
		}
	}
}
