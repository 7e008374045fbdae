package drive_test

import (
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

// shifted is a drive whose commit would lack a file that its tests ran with: someone has
// it ignored, and staged by force, meanwhile.
func shifted(t *testing.T, tests string) *scene {
	s := newScene(t, one)
	s.sh("echo '" + tests + "' >> test.sh; git commit -qam tests")
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code {
			return "echo AC-01 > AC-01.txt; echo x > helper.txt"
		}
		return nil
	}
	s.at("tested chunk", func() { s.sh("mkdir -p .git/info; echo helper.txt >> .git/info/exclude; git add -f helper.txt") })
	return s
}

// What is committed was tested, whatever happened between the tests and the commit, and
// the one who resumes.
func TestNothingIsCommittedUntested(t *testing.T) {
	t.Parallel()
	s := shifted(t, `[ ! -e AC-01.txt ] || [ -e helper.txt ] || { echo "--- FAIL: TestHelper (0.00s)"; exit 1; }`)
	for range 2 {
		ends, err := s.engine(drive.Options{Only: len(s.asked) > 0, Issue: map[bool]string{true: "1"}[len(s.asked) == 0]}).Run(t.Context())
		if err != nil {
			t.Fatalf("%v\n%s", err, s.log())
		}
		s.results(ends, evidence.Person)
		if !strings.Contains(ends[0].Why, "fail on what would be committed") {
			t.Errorf("%+v", ends[0])
		}
		s.want("the branch", s.sh("git log --format=%s -1 feature/issue-1-thing-1"), "tests")
	}
	s.sh("rm .git/info/exclude; git rm -q --cached helper.txt")
	s.drive(drive.Options{Only: true}, evidence.Merged)
	s.want("what is merged", s.sh("git ls-tree --name-only main | grep -e AC -e helper"), "AC-01.txt\nhelper.txt")
}

// Where it passes as well, the drive goes on.
func TestACommitThatShiftedIsTestedAgain(t *testing.T) {
	t.Parallel()
	s := shifted(t, "true")
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what is merged", s.sh("git ls-tree --name-only main | grep -e AC -e helper"), "AC-01.txt")
	n := 0
	for _, r := range s.book().Tests {
		if r.Row.Stage == "chunk" {
			n++
		}
	}
	if n != 2 {
		t.Errorf("the chunk was tested %d times", n)
	}
}
