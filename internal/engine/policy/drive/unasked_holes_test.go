package drive_test

import (
	"context"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

// judged is the answer of a verifier that finds all criteria met.
func judged(t agent.Task, unasked ...any) any {
	said := verdict(t, true).(map[string]any)
	said["unasked"] = append([]any{}, unasked...)
	return said
}

func about(file, why string) any { return map[string]any{"file": file, "why": why} }

// listing is the answer of a coder that lists the file that was asked for.
func listing(script, summary string) any {
	return does{script, map[string]any{"summary": summary, "files": []string{"AC-01.txt"}}}
}

// notMerged wants the same, and that nothing was merged.
func (s *scene) notMerged(files ...string) {
	s.Helper()
	s.waits(files...)
	s.want("the target", s.sh("git log --format=%s main"), "chore: begin")
}

// waits wants a drive to name the files and wait for a person.
func (s *scene) waits(files ...string) {
	s.Helper()
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	for _, file := range files {
		if !strings.Contains(ends[0].Why, file) {
			s.Errorf("%s is not in %q", file, ends[0].Why)
		}
	}
}

func TestUnaskedWorkOfAnEarlierDrive(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1})
	s.does = func(t agent.Task) any {
		switch {
		case t.Role == agent.Code && t.Chunk == 1:
			return listing("echo one > AC-01.txt; mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml", "One.")
		case t.Role == agent.Fix && t.Chunk == 1:
			return map[string]any{"summary": "it stays"}
		case t.Role == agent.Verify && t.Chunk == 2:
			return verdict(t, false)
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Partly)
	s.does = nil
	s.notMerged(".github/workflows/ci.yml")
}

// A chunk that was never committed left nothing.
func TestUnaskedWorkThatWasNotCommitted(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return verdict(t, false)
		}
		return listing("echo one > AC-01.txt; echo x > CLAUDE.md", "One.")
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Failed)
	s.does = func(t agent.Task) any {
		switch t.Role {
		case agent.Code:
			return listing("echo one > AC-01.txt; echo x > CLAUDE.md", "One.")
		case agent.Fix:
			return map[string]any{"objection": "AC-01 needs CLAUDE.md"}
		case agent.Verify:
			return judged(t)
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
}

// Only what a person says in an answer asks for a file, and not a no.
func TestAnAnswerAsksForFiles(t *testing.T) {
	for name, c := range map[string]struct {
		answer drive.Answer
		merged bool
	}{
		"no":           {drive.Answer{Text: "no", By: "t"}, false},
		"no with name": {drive.Answer{Text: "Don’t add CLAUDE.md", By: "t"}, false},
		"yes":          {drive.Answer{Text: "yes", By: "t"}, false},
		"the name":     {drive.Answer{Text: "add CLAUDE.md", By: "t"}, true},
		"the default":  {drive.Answer{Text: "add CLAUDE.md", By: questions.ByDefault}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.change = func(e *drive.Engine) {
				e.Ask = func(context.Context, drive.Question) (drive.Answer, bool) { return c.answer, true }
			}
			asked := false
			s.does = func(t agent.Task) any {
				switch {
				case t.Role == agent.Code && !asked:
					asked = true
					return map[string]any{"decision": map[string]any{"question": "Shall I add CLAUDE.md?", "options": []string{"yes", "no"}, "default": "add CLAUDE.md"}}
				case t.Role == agent.Code || t.Role == agent.Fix:
					return listing("echo one > AC-01.txt; echo obey > CLAUDE.md", "Done.")
				}
				return nil
			}
			if c.merged {
				s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			} else {
				s.notMerged("CLAUDE.md")
			}
		})
	}
}

// Only an objection is a reason to keep something, and it clears only what the verifier was shown.
func TestWhatAReasonClears(t *testing.T) {
	const workflow = "mkdir -p .github/workflows; echo 'on: push' > .github/workflows/ci.yml"
	for name, c := range map[string]struct {
		fix  any
		left []string // nil: merged
	}{
		"a summary with a criterion": {map[string]any{"summary": "AC-01 is complete."}, []string{"NOTES.md"}},
		"an objection":               {map[string]any{"objection": "AC-01 needs NOTES.md."}, nil},
		"a new file":                 {listing("rm NOTES.md; "+workflow, "Taken back; AC-01 is met."), []string{".github/workflows/ci.yml"}},
		"a new file and an objection": {does{workflow, map[string]any{"objection": "AC-01 needs NOTES.md.", "files": []string{"AC-01.txt"}}},
			[]string{".github/workflows/ci.yml"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.does = func(t agent.Task) any {
				switch t.Role {
				case agent.Code:
					return listing("echo one > AC-01.txt; echo x > NOTES.md", "Done.")
				case agent.Fix:
					return c.fix
				case agent.Verify:
					return judged(t)
				}
				return nil
			}
			if c.left == nil {
				s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			} else {
				s.notMerged(c.left...)
			}
		})
	}
}

// What a verifier says of a file that a criterion names is about a part of it: it is sent back, and
// what is left of it is merged by a person.
func TestAVerifiersPointAboutANamedFile(t *testing.T) {
	for name, taken := range map[string]bool{"it is left": false, "it is taken back": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.does = func(t agent.Task) any {
				switch {
				case t.Role == agent.Code:
					return listing("printf 'one\\nextra\\n' > AC-01.txt", "Done.")
				case t.Role == agent.Fix && taken:
					return "echo one > AC-01.txt"
				case t.Role == agent.Fix:
					return map[string]any{"summary": "it stays"}
				case t.Role == agent.Verify && strings.Contains(t.Prompt, "+extra"):
					return judged(t, about("AC-01.txt", "an extra line"))
				case t.Role == agent.Verify:
					return judged(t)
				}
				return nil
			}
			if taken {
				s.drive(drive.Options{Issue: "1"}, evidence.Merged)
				s.want("what was asked", s.roles(), "code verify fix verify")
				return
			}
			ends := s.drive(drive.Options{Issue: "1"}, evidence.Pull)
			s.want("what was asked", s.roles(), "code verify fix")
			if !strings.Contains(ends[0].Why, "AC-01.txt: an extra line (says the verifier)") {
				t.Errorf("%+v", ends[0])
			}
		})
	}
}

// What the verifier says of a conflict's resolution is merged by a person.
func TestUnaskedWorkInAResolution(t *testing.T) {
	t.Parallel()
	s := conflicted(t, func(agent.Task) any { return "printf 'theirs\\nours\\nextra\\n' > code.txt" })
	before := s.does
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify && strings.Contains(t.Prompt, "+extra") {
			return judged(t, about("code.txt", "an extra line"))
		}
		return before(t)
	}
	s.waits("code.txt: an extra line (says the verifier)")
	s.want("the remote", s.sh("git -C ../origin.git log --format=%s main"), "feat: theirs\nchore: begin")
}

// The words of a run that took something back are the commit's if no other run gave any.
func TestTheWordsOfTheCommit(t *testing.T) {
	for name, c := range map[string]struct {
		code, fix map[string]any
		want      string
	}{
		"the first run's": {map[string]any{"summary": "It counts.", "commit": "feat: count the words"}, map[string]any{"summary": "Gone.", "commit": "chore: remove notes"}, "feat: count the words (#1)\n\nIt counts."},
		"the fix's":       {map[string]any{"lessons": []string{"none"}}, map[string]any{"summary": "It counts.", "commit": "feat: count the words"}, "feat: count the words (#1)\n\nIt counts."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.does = func(t agent.Task) any {
				switch t.Role {
				case agent.Code:
					return does{"echo one > AC-01.txt; echo x > NOTES.md", c.code}
				case agent.Fix:
					return does{"rm NOTES.md; echo two > AC-01.txt", c.fix}
				}
				return nil
			}
			s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			if have := s.sh("git log --format=%B -1 main"); !strings.HasPrefix(have, c.want) {
				t.Errorf("%q, want %q", have, c.want)
			}
		})
	}
}

// If a criterion names the file, it can accept no more: a pull request is opened. The branch was
// pushed before it was rebased, and only a person pushes it by force.
func TestUnaskedWorkOfANamedFileInAResolution(t *testing.T) {
	t.Parallel()
	s := conflicted(t, func(agent.Task) any { return "printf 'theirs\\nours\\n' > code.txt" })
	before := s.does
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify && strings.Contains(t.Prompt, "theirs") {
			return judged(t, about("AC-01.txt", "an extra line"))
		}
		return before(t)
	}
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	s.want("the advice", ends[0].Do, "git push --force-with-lease origin feature/issue-1-thing-1, then warp resume")
	s.sh("git push -q --force-with-lease origin feature/issue-1-thing-1")
	ends = s.drive(drive.Options{}, evidence.Pull)
	if !strings.Contains(ends[0].Why, "AC-01.txt: an extra line (says the verifier)") {
		t.Errorf("%+v", ends[0])
	}
	s.want("the target", s.sh("git -C ../origin.git log --format=%s main"), "feat: theirs\nchore: begin")
	s.want("the branch", s.sh("git -C ../origin.git log --format=%s -2 feature/issue-1-thing-1"), "feat: Thing 1 (#1)\nfeat: theirs")
}
