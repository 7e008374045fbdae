package drive_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

// docs is documentation that goes wrong when code.txt says so.
type docs struct{ root string }

// Sync implements drive.Docs: the list of files follows by itself.
func (d docs) Sync() ([]string, error) {
	list, err := filepath.Glob(filepath.Join(d.root, "AC-*.txt"))
	file := filepath.Join(d.root, "README.md")
	text := ""
	for _, f := range list {
		text += filepath.Base(f) + "\n"
	}
	if was, _ := os.ReadFile(file); string(was) == text {
		return nil, err
	}
	return []string{"README.md"}, errors.Join(err, os.WriteFile(file, []byte(text), 0o644))
}

// Drift implements drive.Docs.
func (d docs) Drift() ([]string, error) {
	text, err := os.ReadFile(filepath.Join(d.root, "code.txt"))
	if strings.Contains(string(text), "lies") {
		return []string{"README.md names a flag that is gone"}, err
	}
	return nil, err
}

// Proof implements drive.Docs.
func (d docs) Proof() (high, mechanical []string, err error) {
	high, err = d.Drift()
	return high, nil, err
}

func documented(t *testing.T) *scene {
	s := newScene(t, one)
	s.settings(map[string]any{"doc_drift_gate": true, "max_retries_per_chunk": 2})
	s.change = func(e *drive.Engine) { e.Docs = docs{s.root} }
	return s
}

func TestDocumentationFollowsInACommitOfItsOwn(t *testing.T) {
	t.Parallel()
	s := documented(t)
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("the commits", s.sh("git log --format=%s main; git show main:README.md"), "docs: follow the code (#1)\nfeat: Thing 1 (#1)\nchore: begin\nAC-01.txt")
}

func TestDocumentationThatMisleadsSendsTheChunkBack(t *testing.T) {
	t.Parallel()
	s := documented(t)
	s.does = func(t agent.Task) any {
		switch t.Role {
		case agent.Code:
			return "echo x > AC-01.txt; echo lies > code.txt"
		case agent.Fix:
			return "echo true > code.txt"
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify fix verify")
	if fix := s.asked[2]; !strings.Contains(fix.Prompt, "README.md names a flag that is gone") {
		t.Errorf("%s", fix.Prompt)
	}
	s.want("the chunk's commits", s.sh("git log --format=%s main | grep -c feat; git show main:code.txt"), "2\ntrue")
}

// What was committed of a chunk that is given up after all is taken back.
func TestDocumentationThatStaysMisleadingCostsTheChunk(t *testing.T) {
	t.Parallel()
	s := documented(t)
	s.does = func(t agent.Task) any {
		if t.Role == agent.Fix {
			return map[string]any{"objection": "the documentation is right"}
		}
		return coding("echo x > AC-01.txt; echo lies > code.txt")(t)
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	s.want("the branch", s.sh("git log --format=%s -1 feature/issue-1-thing-1; git show feature/issue-1-thing-1:code.txt"), "revert: #1 chunk 1, given up\none")
	s.says("nothing changed, and the documentation is still wrong")
}

func (s *scene) hook(name, script string) {
	s.Helper()
	s.write(".git/hooks/"+name, "#!/bin/sh\n"+script+"\n")
	s.sh("chmod 755 .git/hooks/" + name)
}

// A commit hook that formats has its way, also where it refuses what it has changed.
func TestACommitHookThatFormats(t *testing.T) {
	const formats = `[ ! -e AC-01.txt ] || grep -q formatted AC-01.txt || { echo formatted >> AC-01.txt; `
	for name, c := range map[string]struct{ hook, does string }{
		"silently":                     {formats + "git add AC-01.txt; }", "true"},
		"and refuses":                  {formats + "exit 1; }", "true"},
		"though the work turns it off": {"sh scripts/format.sh", "echo true > scripts/format.sh"},
		"and the work changes how":     {"sh scripts/format.sh", "echo '# more' >> scripts/format.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.write("scripts/format.sh", formats+"exit 1; }\n")
			s.sh("git add -A; git commit -qm 'chore: a formatter'")
			s.hook("pre-commit", c.hook)
			s.hook("commit-msg", `echo "Reviewed-by: hook" >> "$1"`)
			s.does = func(t agent.Task) any {
				if t.Role == agent.Code {
					return c.does + "; echo AC-01 > AC-01.txt"
				}
				return nil
			}
			s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			s.want("what is merged", s.sh("git show main:AC-01.txt; git status --porcelain"), "AC-01\nformatted")
			s.want("the message", s.sh("git log -1 --format=%B main | grep -c Reviewed-by"), "1")
			s.says("the repository's commit hooks changed files of the chunk")
			s.want("what was asked", s.roles(), "code verify")
		})
	}
}

func TestACommitHookThatRefuses(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.hook("pre-commit", `! grep -q TODO AC-01.txt || { echo "no TODO, please" >&2; exit 1; }`)
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code {
			return "echo TODO > AC-01.txt"
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if fix := s.asked[1]; !strings.Contains(fix.Prompt, "no TODO, please") {
		t.Errorf("%s", fix.Prompt)
	}
}

// What the hooks make of the work is judged as the work is.
func TestACommitHookThatSpoilsTheWork(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.settings(map[string]any{"max_coding_cycles": 1})
	s.hook("pre-commit", `[ ! -e AC-01.txt ] || { grep -q spoilt AC-01.txt || echo spoilt >> AC-01.txt; git add AC-01.txt; }`)
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return verdict(t, !strings.Contains(s.sh("cat AC-01.txt"), "spoilt"))
		}
		return "echo x > AC-01.txt"
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	s.want("the target", s.sh("git log --format=%s main"), "chore: begin")
}

// What a person does between two runs is theirs.
func TestWhatAPersonChangesInAPauseStaysTheirs(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1})
	s.sh("echo before > before.txt; echo two >> code.txt")
	s.does = coding(agent.Result{End: agent.NoLogin, Why: "away"})
	s.drive(drive.Options{Issue: "1"}, evidence.Person)
	s.sh("echo mine > mine.txt; echo three >> code.txt")
	s.does = nil
	s.drive(drive.Options{Only: true}, evidence.Merged)
	s.want("what is merged", s.sh("git diff --name-only main~2 main"), "AC-01.txt\nAC-02.txt")
	s.want("the person's", s.sh("cat before.txt mine.txt code.txt; git status --porcelain"), "before\nmine\none\ntwo\nthree\n M code.txt\n?? before.txt\n?? mine.txt")
	s.says("so not by the agent; left uncommitted")
}

// An agent's misdeeds are taken back and told.
func TestMisdeedsAreTakenBack(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.sh("echo precious > mine.txt")
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code {
			return "rm mine.txt; rm -rf .claude/state .claude/.warp-drive-state.json; echo x > AC-01.txt; git add -A; git commit -qm sly"
		}
		return does{"echo y > verified.txt", verdict(t, true)}
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("the person's", s.sh("cat mine.txt; git log --format=%s main; ls verified.txt 2>/dev/null || true"), "precious\nfeat: Thing 1 (#1)\nchore: begin")
	if n := len(s.book().Interventions); n == 0 {
		t.Error("nothing is told of it")
	}
}

func TestAnotherBranchIsCheckedOut(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.at("tests_passed", func() { s.sh("git checkout -q -b elsewhere") })
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	if !strings.Contains(ends[0].Why, "elsewhere is checked out") {
		t.Errorf("%+v", ends[0])
	}
	s.change = nil
	s.sh("git checkout -q feature/issue-1-thing-1")
	s.drive(drive.Options{Only: true}, evidence.Merged)
}

// A branch that moved by another's hand freezes the drive.
func TestACommitOfAnothersHandNeedsAPerson(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.at("verified", func() { s.sh("git commit -q --allow-empty -m theirs") })
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	if !strings.Contains(ends[0].Do, "warp override") {
		t.Errorf("%+v", ends[0])
	}
	s.want("the target", s.sh("git log --format=%s main"), "chore: begin")
}

func TestAnApprovalThatIsTakenBackEndsTheWork(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	if !s.kill(drive.Options{Issue: "1"}, "ran code", 1) {
		t.Fatal("it did not get there")
	}
	s.must(s.Label(t.Context(), 1, nil, []string{"approved"}))
	s.drive(drive.Options{Only: true}, evidence.Person)
	s.says("it is no longer approved")
	s.must(s.Label(t.Context(), 1, []string{"approved"}, nil))
	s.drive(drive.Options{Only: true}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify")
}

func TestATrackerThatIsAway(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	if !s.kill(drive.Options{Issue: "1"}, "ran code", 1) {
		t.Fatal("it did not get there")
	}
	s.sh("mv .claude/issues .claude/elsewhere")
	s.drive(drive.Options{Only: true}, evidence.Person)
	s.sh("mv .claude/elsewhere .claude/issues")
	s.drive(drive.Options{Only: true}, evidence.Merged)
}
