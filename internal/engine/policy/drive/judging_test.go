package drive_test

import (
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

// A verifier that always says no costs the chunk, not the other one.
func TestAChunkThatIsNeverMetIsSkipped(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1, "max_retries_per_chunk": 2})
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify && t.Criteria[0] == "AC-01" {
			return verdict(t, false)
		}
		if t.Role == agent.Fix {
			return "echo more >> other.txt"
		}
		return nil
	}
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Partly)
	s.filed("bug-deferred", "#1")
	if !strings.Contains(ends[0].Why, "chunk 1: AC-01 is not met") || !strings.Contains(ends[0].Do, "warp drive 1 tries again") {
		t.Errorf("%+v", ends[0])
	}
	s.want("the target", s.sh("git log --format=%s main"), "chore: begin")
	s.want("the branch", s.sh("git log --format=%s -1 feature/issue-1-thing-1; git ls-tree --name-only feature/issue-1-thing-1 | grep AC"), "feat: Thing 1 (#1, part 2 of 2)\nAC-02.txt")
	b := s.book()
	if len(b.Skips) != 1 || b.Skips[0].Row.Chunk != 1 || b.Skips[0].Row.Kept == "" || !strings.Contains(b.Skips[0].Row.Why, "AC-01 is not met: seen") {
		t.Fatalf("%+v", b.Skips)
	}
	s.want("what was tried", s.sh("git show "+b.Skips[0].Row.Kept+":AC-01.txt"), "AC-01")
	if body := s.issue(1).Body; !strings.Contains(body, "- [ ] AC-01") || !strings.Contains(body, "- [x] AC-02") {
		t.Error(body)
	}
}

// With nothing done at all, and another issue that can be.
func TestAnIssueThatFailsKeepsNoOtherFromItsTurn(t *testing.T) {
	t.Parallel()
	s := newScene(t, one, strings.ReplaceAll(one, "AC-01", "AC-02"))
	s.settings(map[string]any{"max_retries_per_chunk": 1})
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify && t.Issue == "1" {
			return verdict(t, false)
		}
		return nil
	}
	s.drive(drive.Options{}, evidence.Failed, evidence.Merged)
	s.want("the target", s.sh("git log --format=%s -2 main"), "feat: Thing 2 (#2)\nchore: begin")
}

// What depends on a chunk that was skipped is not tried.
func TestAChunkWithoutItsBaseIsSkipped(t *testing.T) {
	t.Parallel()
	s := newScene(t, "## Acceptance criteria\n\n- [ ] AC-01: a\n- [ ] AC-02: b (depends on AC-01)\n")
	s.settings(map[string]any{"max_acs_per_commit": 1, "max_retries_per_chunk": 1})
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return verdict(t, false)
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	b := s.book()
	if len(b.Skips) != 2 || !strings.Contains(b.Skips[1].Row.Why, "AC-02 depends on AC-01") {
		t.Errorf("%+v", b.Skips)
	}
	for _, task := range s.asked {
		if task.Chunk == 2 {
			t.Errorf("%s was asked for it", task.Role)
		}
	}
}

func TestTestsThatFailAreFixed(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.does = func(t agent.Task) any {
		switch t.Role {
		case agent.Code:
			return does{"echo x > AC-01.txt; echo x > broken", map[string]any{"summary": "s", "lessons": []any{"look first", "look first", map[string]any{"type": "antipattern", "lesson": "Guessing failed", "pattern": "Ask first"}, 7}}}
		case agent.Fix:
			return "rm broken"
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what was asked", s.roles(), "code fix verify") // work that fails its tests reaches no verifier
	if fix := s.asked[1]; fix.Session != "s1" || !strings.Contains(fix.Prompt, "TestBroken") {
		t.Errorf("%+v", fix)
	}
	s.filed("lesson")
	s.told(1, "## Lessons\n\n- look first\n- Guessing failed -> Ask first\n")
	if learned := s.sh("cat .claude/learnings.jsonl"); strings.Count(learned, "\n") != 1 || !strings.Contains(learned, `"type":"antipattern","lesson":"Guessing failed","pattern":"Ask first"`) || !strings.Contains(learned, `"task":"#1","iteration":1,"type":"insight","lesson":"look first"`) {
		t.Errorf("learned: %s", learned)
	}
	s.want("what is merged", s.sh("git ls-tree --name-only main | grep -c broken || true"), "0")
}

func TestAnotherApproachIsAskedForInTheThirdTry(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	tries := 0
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return nil
		}
		if tries++; tries < 3 {
			return "date +%N > AC-01.txt; echo x > broken"
		}
		return "rm broken"
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if last := s.asked[2]; last.Session != "" || !strings.Contains(last.Prompt, "This is attempt 3, and the same problem was found before.") {
		t.Errorf("%+v", last)
	}
}

func TestTestsThatWereRedBefore(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.sh("echo x > broken; git add -A; git commit -qm red")
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.says("the tests fail before any change", "fails as it did before")
	s.want("why a person should look", ends[0].Why, `the test suite is red, as it was before this work: "TestBroken"`)
	for _, row := range s.book().Tests {
		if red := row.Row.Stage != "baseline"; row.Row.Red != red || row.Row.Passed != red {
			t.Errorf("%+v", row.Row)
		}
	}
}

func TestTestsThatGetWorseAreNotRedAsBefore(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.sh(`printf '[ ! -e worse ] || echo "--- FAIL: TestWorse (0.00s)"\necho "--- FAIL: TestOld (0.00s)"; exit 1\n' > test.sh; git add -A; git commit -qm red`)
	s.settings(map[string]any{"max_coding_cycles": 1})
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code || t.Role == agent.Fix {
			return "echo x > AC-01.txt; echo x > worse"
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	s.says("newly failing")
	if body := s.issue(1).Body; !strings.Contains(body, "- [ ] AC-01") { // it was checked off before the tests ran
		t.Error(body)
	}
	for _, row := range s.book().Tests {
		if row.Row.Stage == "chunk" && (row.Row.Passed || strings.Join(row.Row.Broke, " ") != "TestWorse") {
			t.Errorf("%+v", row.Row)
		}
	}
}

// dishonest are changes that make what is found out worthless.
var dishonest = map[string]struct{ before, does, why string }{
	"a weakened test": {`printf 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Error("f")\n\t}\n}\n' > a_test.go`,
		`printf 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tt.Skip()\n\tif f() != 1 {\n\t\tt.Error("f")\n\t}\n}\n' > a_test.go`, "a_test.go"},
	"a deleted test":    {`printf 'package a\n\nfunc TestA(t *testing.T) { t.Error(1) }\n' > a_test.go`, "rm a_test.go", "a_test.go"},
	"a rerouted script": {"echo '! grep -q x AC-01.txt 2>/dev/null' >> test.sh", "echo exit 0 > test.sh", "and passes only with the new one"},
	"an ignored file":   {"echo 's3cret' > app.log; touch -d '1 hour ago' app.log", "printf '.claude/\\n' > .gitignore", ""},
}

func TestDishonestWorkIsRefused(t *testing.T) {
	for name, c := range dishonest {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.sh(c.before + "; git add -A; git commit -q --allow-empty -m before")
			s.settings(map[string]any{"max_retries_per_chunk": 1})
			s.does = func(t agent.Task) any {
				if t.Role == agent.Code || t.Role == agent.Fix {
					return "echo x > AC-01.txt; " + c.does
				}
				return nil
			}
			ends, err := s.engine(drive.Options{Issue: "1"}).Run(t.Context())
			s.must(err)
			if name == "an ignored file" { // it is out of the chunk, or the chunk is refused
				s.want("the secret", s.sh("git log --all --format= --name-only -- app.log"), "")
				s.want("the file", s.sh("cat app.log"), "s3cret")
				return
			}
			s.results(ends, evidence.Failed)
			s.says(c.why)
			s.want("the target", s.sh("git log --format=%s -1 main"), "before")
		})
	}
}

// A criterion may want a test or the script to go.
func TestWhatACriterionNamesMayChange(t *testing.T) {
	t.Parallel()
	s := newScene(t, "## Acceptance criteria\n\n- [ ] AC-01: test.sh says so\n")
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code {
			return "echo echo so >> test.sh"
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
}

func TestAnAgentThatDoesNothingIsFoundOut(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return nil
		}
		return "true"
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	s.want("what was asked", s.roles(), "code code")
	s.filed("todo", "The agent changed nothing for AC-01, and ended with: I did it")
	if strings.Contains(s.roles(), "verify") {
		t.Error("a verifier was asked about nothing")
	}
}

// Boxes that nobody has done are opened again.
func TestTicksOfTheAgentAreTakenBack(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1})
	s.does = func(task agent.Task) any {
		if task.Role == agent.Verify && task.Chunk == 1 {
			s.must(s.Edit(t.Context(), 1, func(body string) (string, error) { return strings.ReplaceAll(body, "[ ]", "[x]"), nil }))
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify code verify")
}

func TestASubmoduleIsNotWorkedIn(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.sh(`git init -q -b main ../lib; cd ../lib; git config user.name t; git config user.email t@example.invalid; echo 1 > lib.txt; git add -A; git commit -qm lib
cd ../project; git -c protocol.file.allow=always submodule add -q ../lib lib 2>/dev/null; git commit -qm lib`)
	s.settings(map[string]any{"max_retries_per_chunk": 1})
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code || t.Role == agent.Fix {
			return "echo x > AC-01.txt; echo 2 > lib/lib.txt"
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	s.says("changes inside a submodule")
}
