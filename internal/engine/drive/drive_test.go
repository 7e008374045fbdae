package drive_test

import (
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/drive"
)

const one = "## Acceptance criteria\n\n- [ ] AC-01: there is AC-01.txt\n"

func TestAnIssueIsMerged(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("the target", s.sh("git log --format=%s -2 main"), "feat: Thing 1 (#1 AC-01)\nchore: begin")
	s.want("merged", ends[0].Commit, s.sh("git rev-parse main"))
	s.want("what was asked", s.roles(), "code verify")
	if s.issue(1).Open {
		t.Error("the issue is open")
	}
}
