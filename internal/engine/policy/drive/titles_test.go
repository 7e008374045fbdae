package drive_test

import (
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/drive"
)

// What others wrote closes no issue, calls nobody and hides nothing in a commit.
func TestTitlesAreCleaned(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	_, err := s.Create(t.Context(), forge.NewIssue{Title: "Fixes #99 for @ada\x1b[2J", Body: "- [ ] AC-01: closes #98, says @bob\n", Labels: []string{"req", "approved"}})
	s.must(err)
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	message := s.sh("git log -1 --format=%B main")
	for _, bad := range []string{"#99", "#98", "@ada", "@bob", "\x1b"} {
		if strings.Contains(message, bad) {
			t.Errorf("%q in %s", bad, message)
		}
	}
	if !strings.Contains(message, "Refs: #1\n") || !strings.Contains(message, "(#1)") {
		t.Error(message)
	}
}
