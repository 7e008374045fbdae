package drive_test

import (
	"context"
	"strings"
	"testing"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

// A verifier's slip is not the coder's: other ids are understood, and what is missing is asked for.
func TestASlipOfTheVerifier(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	judged := 0
	s.does = func(t agent.Task) any {
		if t.Role != agent.Verify {
			return nil
		}
		if judged++; judged == 1 {
			return map[string]any{"criteria": []any{map[string]any{"id": "AC-1", "met": true, "reason": "seen"}}}
		}
		return map[string]any{"criteria": []any{map[string]any{"id": "2", "met": true, "reason": "seen, too"}}}
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify verify")
	if last := s.asked[2]; !strings.Contains(last.Prompt, "no verdict on AC-02") || strings.Contains(last.Prompt, "+AC-01") || last.Session != "s1" || strings.Join(last.Criteria, " ") != "AC-02" {
		t.Errorf("%+v", last)
	}
	b := s.book()
	if len(b.Verdicts) != 2 || !b.Verdicts[0].Row.Met || !b.Verdicts[1].Row.Met {
		t.Errorf("%+v", b.Verdicts)
	}
	if first, last := b.Runs[1].Row, b.Runs[2].Row; first.Unread != "it has no verdict on AC-02" || first.Again || last.Unread != "" || !last.Again {
		t.Errorf("%+v\n%+v", first, last)
	}
}

// A verifier that cannot be understood says nothing about the work: a person looks, and resuming
// asks it again.
func TestAVerifierThatIsNotUnderstood(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return map[string]any{"summary": "all is well"}
		}
		return nil
	}
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	s.want("what was asked", s.roles(), "code verify verify")
	if why := ends[0].Why; !strings.Contains(why, "gave no verdict that can be used, although it was asked again: it lacks criteria") {
		t.Error(why)
	}
	if b := s.book(); len(b.Verdicts) != 0 || len(b.Gates) > 0 && !b.Gates[len(b.Gates)-1].Row.Untried {
		t.Errorf("%+v", b.Gates[len(b.Gates)-1])
	}
	s.does = nil
	s.drive(drive.Options{Only: true}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify verify verify")
}

// The first chunk does the work of the second, too: that one needs no commit.
func TestAChunkThatWasDoneBefore(t *testing.T) {
	t.Parallel()
	for name, met := range map[string]bool{"and is": true, "and is not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, two)
			s.settings(map[string]any{"max_acs_per_commit": 1})
			refused := false
			s.does = func(t agent.Task) any {
				switch {
				case t.Role == agent.Code && t.Chunk == 1:
					return does{"echo one > AC-01.txt; echo two > AC-02.txt", map[string]any{"summary": "Both are there.", "files": []string{"AC-01.txt", "AC-02.txt"}}}
				case t.Role == agent.Code:
					return map[string]any{"summary": "It is there since part 1.", "done": []string{"ac-2"}}
				case t.Role == agent.Verify && t.Chunk == 2 && !met && !refused:
					refused = true
					return verdict(t, false)
				case t.Role == agent.Fix:
					return does{"echo more >> AC-02.txt", map[string]any{"summary": "More."}}
				}
				return nil
			}
			ends := s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			if met {
				s.want("what was asked", s.roles(), "code verify code verify")
				s.want("the commits", s.sh("git log --format=%s main | wc -l"), "2")
				for _, want := range []string{"AC-02 was met before this work", "+two"} {
					if !strings.Contains(s.asked[3].Prompt, want) {
						t.Errorf("the verifier is not told %q:\n%s", want, s.asked[3].Prompt)
					}
				}
				b := s.book()
				if c := b.Commits[len(b.Commits)-1].Row; !c.Earlier || c.Chunk != 2 || c.Hash != ends[0].Commit || strings.Join(c.Criteria, "") != "AC-02" {
					t.Errorf("%+v", c)
				}
			} else {
				s.want("what was asked", s.roles(), "code verify code verify fix verify")
				s.want("the commits", s.sh("git log --format=%s main | wc -l"), "3")
			}
			if body := s.issue(1).Body; strings.Contains(body, "[ ]") {
				t.Error(body)
			}
		})
	}
}

// An objection to the verdict that something was not done before is judged, too.
func TestWhatWasDoneBeforeIsObjectedTo(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.sh("echo there > AC-01.txt; git add AC-01.txt; git commit -qm 'feat: it'")
	judged := 0
	s.does = func(t agent.Task) any {
		switch t.Role {
		case agent.Code:
			return map[string]any{"done": []string{"AC-01"}}
		case agent.Fix:
			return map[string]any{"objection": "it is in AC-01.txt"}
		}
		judged++
		return verdict(t, judged > 1)
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify fix verify")
	s.want("the commits", s.sh("git log --format=%s main"), "feat: it\nchore: begin")
}

// Everything was there before the drive began: nothing is committed, and the issue is closed.
func TestAnIssueThatWasDoneBefore(t *testing.T) {
	for _, level := range []int{2, 3} {
		t.Run(string(rune('0'+level)), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one).withRemote()
			s.does = coding(map[string]any{"summary": "It is there.", "done": []string{"AC-01"}})
			s.drive(drive.Options{Issue: "1", Level: level, Own: true}, evidence.Merged)
			s.want("the commits", s.sh("git log --format=%s main"), "chore: begin")
			if s.issue(1).Open {
				t.Error("it is still open")
			}
		})
	}
}

// The coder may object to a verdict, once: then the verifier decides again on the same work.
func TestAnObjectionIsJudged(t *testing.T) {
	t.Parallel()
	for name, right := range map[string]bool{"that is right": true, "that is wrong": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			judged := 0
			s.does = func(t agent.Task) any {
				switch t.Role {
				case agent.Verify:
					judged++
					return verdict(t, judged > 1 && right)
				case agent.Fix:
					return map[string]any{"objection": "AC-01.txt is there"}
				}
				return nil
			}
			if right {
				s.drive(drive.Options{Issue: "1"}, evidence.Merged)
				s.want("what was asked", s.roles(), "code verify fix verify")
			} else {
				s.drive(drive.Options{Issue: "1"}, evidence.Failed)
				s.want("what was asked", s.roles(), "code verify fix verify fix")
				s.filed("todo", "The verifier and the agent disagree. The verifier: AC-01 is not met: seen")
			}
			if !strings.Contains(s.asked[3].Prompt, "AC-01.txt is there") {
				t.Errorf("the verifier does not know the objection:\n%s", s.asked[3].Prompt)
			}
			b := s.book()
			if len(b.Verdicts) != 2 || b.Runs[2].Row.Objection == "" {
				t.Errorf("%+v", b.Verdicts)
			}
		})
	}
}

// A question in prose is shown to the agent again, and then to a person.
func TestAQuestionInProse(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]any{"asked properly": map[string]any{"decision": map[string]any{"question": "Which one?", "options": []string{"a", "b"}, "default": "a"}}, "still in prose": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			var asked []string
			s.change = func(e *drive.Engine) {
				e.Ask = func(_ context.Context, q drive.Question) (drive.Answer, bool) {
					asked = append(asked, q.Text)
					return drive.Answer{Text: "b", By: "t"}, true
				}
			}
			s.does = func(t agent.Task) any {
				switch {
				case t.Role != agent.Code || len(asked) > 0:
					return nil
				case strings.Contains(t.Prompt, "You changed nothing, and ended with:") && again != nil:
					return again
				}
				return agent.Result{End: agent.Done, Text: "I see two ways. Which one do you want, a or b?", Invalid: "there is none", Session: "s1", Usage: spent()}
			}
			s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			s.want("what was asked", s.roles(), "code code code verify")
			if len(asked) != 1 || !strings.Contains(strings.ToLower(asked[0]), "which one") {
				t.Errorf("the person was asked %q", asked)
			}
			if second := s.asked[1].Prompt; !strings.Contains(second, "Which one do you want, a or b?") {
				t.Error(second)
			}
			if third := s.asked[2].Prompt; !strings.Contains(third, "→ b") && !strings.Contains(third, "b") {
				t.Error(third)
			}
			if runs := s.book().Runs; runs[0].Row.Unread == "" || !runs[1].Row.Again {
				t.Errorf("%+v", runs)
			}
		})
	}
}

// What a coder says that settles nothing is shown to it again, and then to a person: ids of another
// chunk, an objection before there is a verdict, a result of another form.
func TestWhatSettlesNothing(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]any{
		"another chunk's": map[string]any{"summary": "it is there", "done": []string{"AC-02"}},
		"no verdict yet":  map[string]any{"objection": "nothing to do here"},
		"another form":    agent.Result{End: agent.Done, Text: `{"decision": "Which one?"}`, Session: "s1", Usage: spent()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.does = coding(says)
			s.drive(drive.Options{Issue: "1"}, evidence.Failed)
			s.want("what was asked", s.roles(), "code code")
			s.filed("todo", "The agent changed nothing for AC-01, and ended with:")
		})
	}
}

// What comes with a claim that something was done before is judged as what it is: this chunk's change,
// whatever the branch has.
func TestAClaimHidesNoChange(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1})
	s.does = func(t agent.Task) any {
		switch {
		case t.Role == agent.Code && t.Chunk == 1:
			return does{"echo one > AC-01.txt; seq 1 9000 > AAA.txt", map[string]any{"summary": "One.", "files": []string{"AC-01.txt", "AAA.txt"}}}
		case t.Role == agent.Code && t.Chunk == 2:
			return does{"echo two > AC-02.txt; echo BACKDOOR > zz.txt", map[string]any{"summary": "Two.", "done": []string{"AC-02"}, "files": []string{"AC-02.txt", "zz.txt"}}}
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if last := s.asked[len(s.asked)-1]; !strings.Contains(last.Prompt, "BACKDOOR") || !strings.Contains(last.Prompt, "the diff is that of the last part only") {
		t.Error(last.Prompt)
	}
}
