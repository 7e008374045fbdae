package drive_test

import (
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
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

// A fix sums up the whole part: the commit tells what the work does, not the story of its refusals. A
// fix that tells only of itself does not hide the work.
func TestACommitTellsOfTheWholePart(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]string{
		"A first try.": "The file is there, and nothing is broken.",
		"AC-01.txt is written when the program starts.": "AC-01.txt is written when the program starts.\n\nThe file is there, and nothing is broken.",
	} {
		s := newScene(t, one)
		s.does = func(task agent.Task) any {
			switch task.Role {
			case agent.Code:
				return does{"echo x > AC-01.txt; echo x > broken", map[string]any{"summary": first}}
			case agent.Fix:
				return does{"rm broken", map[string]any{"summary": "The file is there, and nothing is broken."}}
			}
			return nil
		}
		s.drive(drive.Options{Issue: "1"}, evidence.Merged)
		if _, body, _ := strings.Cut(s.sh("git log -1 --format=%B main"), "\n\n"); !strings.HasPrefix(body, want+"\n\n") {
			t.Errorf("%q: %s", first, body)
		}
	}
}
