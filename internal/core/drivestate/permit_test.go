package drivestate

import (
	"strings"
	"testing"
)

// What is allowed where: c commit, p push of the drive's branch, t push of the
// merge target at level 3, m merge, e edits without advice.
const permits = `
	idle                  -
	prerequisites         -
	discovering           -
	planning              -
	chunking              -
	coding                e
	updating_docs         e
	testing               e
	committing            cp
	doc_drift_check       cpe
	reporting             p
	chunk_complete        p
	requirement_complete  p
	merging               cptme
	awaiting_continue     -
	session_ending        -
	budget_exceeded       -
	aborted               cp
	completed             -
`

func TestWhatIsPermittedInEachPhase(t *testing.T) {
	rows := strings.Split(strings.TrimSpace(permits), "\n")
	if len(rows) != 19 {
		t.Fatalf("%d phases", len(rows))
	}
	for _, row := range rows {
		phase, letters, _ := strings.Cut(strings.TrimSpace(row), " ")
		may := func(letter string) bool { return strings.Contains(letters, letter) }
		for _, level := range []int{0, 2, 3} {
			for _, c := range []struct {
				operation, branch string
				want              bool
			}{
				{"git_commit", "", may("c")}, {"git_commit", "feature/issue-42", may("c")}, {"git_commit", "main", may("c")},
				{"git_merge", "", may("m")}, {"git_merge", "main", may("m")}, {"git_merge", "other", may("m")},
				{"git_push", "", may("p")}, {"git_push", "feature/issue-42", may("p")},
				{"git_push", "main", may("t") && level == 3},
				{"git_push", "other", false}, {"git_push", "feature/issue-4", false}, {"git_push", "Main", false},
				{"edit", "", true}, {"edit", "main", true},
			} {
				s := working(Phase(phase))
				s.Session.Level = level
				before := printed(s)
				got, err := s.Guards().Permit(c.operation, c.branch)
				if err != nil || got.Allowed != c.want {
					t.Errorf("%s of %q in %s at level %d: %+v, %v, want %v", c.operation, c.branch, phase, level, got, err, c.want)
				}
				if silent := c.want && (c.operation != "edit" || may("e")); silent != (got.Reason == "") {
					t.Errorf("%s of %q in %s at level %d: %v with the reason %q", c.operation, c.branch, phase, level, got.Allowed, got.Reason)
				}
				if printed(s) != before {
					t.Errorf("asking about %s changed the document", c.operation)
				}
			}
		}
	}
}

func TestRefusalsSayTheRuleAndTheWayOn(t *testing.T) {
	s := working(Coding)
	s.Session.Level = 2
	for _, c := range []struct{ operation, branch, want string }{
		{"git_commit", "", "git commit is only allowed during committing phase (now in coding; warp log shows its history)"},
		{"git_merge", "", "git merge is only allowed during merging phase (now in coding; warp log shows its history)"},
		{"git_push", "", "git push of the drive's branch is only allowed from committing to merging, and in aborted (now in coding; warp log shows its history)"},
		{"git_push", "main", `git push of the merge target "main" is only allowed at level 3; level 2 opens a pull request`},
		{"git_push", "x", `git push of "x": only the drive's branch "feature/issue-42" and the merge target "main" may be pushed`},
	} {
		if got, _ := s.Guards().Permit(c.operation, c.branch); got.Reason != c.want {
			t.Errorf("%s %s\n got %s\nwant %s", c.operation, c.branch, got.Reason, c.want)
		}
	}
	s.Session.Level = 3
	if got, _ := s.Guards().Permit("git_push", "main"); got.Reason != "git push of the merge target is only allowed during merging phase (now in coding; warp log shows its history)" {
		t.Error(got.Reason)
	}
	s = working(Planning)
	if got, _ := s.Guards().Permit("edit", ""); got.Reason != `advice: files are usually not edited in phase "planning"` {
		t.Error(got.Reason)
	}
	_, err := s.Guards().Permit("git_rebase", "")
	if want := `there is no operation "git_rebase"; there are git_commit, git_push, git_merge, edit`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestWithoutABranchOnlyTheUnnamedOneIsTheDrives(t *testing.T) {
	s := working(Committing)
	s.Branch = nil
	for branch, want := range map[string]bool{"": true, "feature/issue-42": false, "main": false} {
		if got, _ := s.Guards().Permit("git_push", branch); got.Allowed != want {
			t.Errorf("push of %q: %+v, want %v", branch, got, want)
		}
	}
}

func TestEveryReasonHasWords(t *testing.T) {
	for _, r := range []string{PhaseTimeout, RetryExceeded, CodingCyclesReached, NoProgress, TotalChunks, SessionTimeout, CostExceeded, TokensExceeded, TimeExceeded} {
		if words := Spell([]string{r}); words == r || words == "" {
			t.Errorf("%s: %q", r, words)
		}
	}
	if words := Spell([]string{TimeExceeded, "a_later_one"}); words != "its time is up, and a_later_one" {
		t.Error(words)
	}
}
