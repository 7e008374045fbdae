package drive_test

import (
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/policy/drive"
	"warp/internal/testkit/forgetest/hub"
)

// A night is planned as it will be driven: what can begin, what waits for it, and why the
// rest is passed over.
func TestSurvey(t *testing.T) {
	s := newScene(t, one, "no criteria", one+"\n\nDepends on #1\n", "- [x] **AC-01:** done\n", one+"\n\nDepends on #2\n")
	e := s.engine(drive.Options{})
	plan, err := e.Survey(t.Context())
	s.must(err)
	var got []string
	for _, p := range plan {
		got = append(got, fmt.Sprintf("%s after %v: %s", p.Number, p.After, p.Passed))
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{"1 after []: \n2 after []: it has no acceptance criteria", "3 after [1]: \n", "4 after []: every criterion is met: it waits to be merged", "5 after []: it waits for #2"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if !strings.Contains(all, "2 after []: ") || len(plan) != 5 {
		t.Errorf("%s", all)
	}
	if past, err := e.History(); err != nil || len(past) != 0 {
		t.Errorf("%+v, %v", past, err)
	}
	if o, err := s.engine(drive.Options{}).CheckReady(t.Context()); err != nil || o != nil {
		t.Errorf("%+v, %v", o, err)
	}
	s.settings(map[string]any{"level": 9})
	if _, err := s.engine(drive.Options{}).CheckReady(t.Context()); err == nil {
		t.Error("there is no such level")
	}
}

// A pull request with a red check is in the plan, and first.
func TestSurveyOfAPullRequest(t *testing.T) {
	s, h, item := pulled(t)
	h.Lock()
	h.Checks[h.Head(item.Pull)] = []hub.Check{{ID: 1, Name: "build", Conclusion: "failure"}}
	h.Unlock()
	e := s.engine(drive.Options{})
	plan, err := e.Survey(t.Context())
	s.must(err)
	if len(plan) != 1 || plan[0].Follows == "" && plan[0].Passed == "" {
		t.Errorf("%+v", plan)
	}
	if branch, commit := e.FollowedBranch(t.Context(), "1"); branch == "" || commit == "" {
		t.Errorf("%q at %q", branch, commit)
	}
	if _, known := evidence.Last(s.book().Follows, nil); known {
		t.Error("looking started a cycle")
	}
}
