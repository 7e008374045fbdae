package drive_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/turnstile"
)

// coding is what only a coding agent does.
func coding(what any) func(agent.Task) any {
	return func(t agent.Task) any {
		if t.Role == agent.Code || t.Role == agent.Fix {
			return what
		}
		return nil
	}
}

func TestADecisionIsAnswered(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	var asked drive.Question
	s.change = func(e *drive.Engine) {
		e.Ask = func(_ context.Context, q drive.Question) (drive.Answer, bool) {
			asked = q
			return drive.Answer{Text: "red", By: "ann"}, true
		}
	}
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code && !strings.Contains(t.Prompt, "→ red") {
			return map[string]any{"decision": map[string]any{"question": "which colour, hunter2?", "options": []string{"red", "blue"}, "default": "blue"}}
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	if asked.Text != "which colour, ***?" || strings.Join(asked.Options, " ") != "red blue" || asked.Default != "blue" || asked.Chunk != 1 {
		t.Errorf("%+v", asked)
	}
	s.filed("decision")
	s.told(1, "`which colour, ***?`: `red`")
	s.want("what was asked", s.roles(), "code code verify")
}

func TestADecisionWithoutAnAnswerIsATodo(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1})
	question := map[string]any{"decision": map[string]any{"question": "which colour?"}}
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code && t.Chunk == 1 && !strings.Contains(t.Prompt, "→ red") {
			return question
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Partly)
	s.filed("todo", "which colour")
	s.filed("bug-deferred", "#1")
	// The answer comes later, and counts the next time.
	s.change = func(e *drive.Engine) {
		e.Late = func(issue string, chunk int, criteria []string) []drive.Decided {
			if issue == "1" && strings.Join(criteria, " ") == "AC-01" {
				return []drive.Decided{{Question: "which colour?", Answer: "red", By: "ann"}}
			}
			return nil
		}
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.want("what is merged", s.sh("git ls-tree --name-only main | grep AC"), "AC-01.txt\nAC-02.txt")
	s.says("which colour? → red")
}

// One requirement given up after another would be a night of nothing.
func TestThreeEmptyRunsNeedAPerson(t *testing.T) {
	t.Parallel()
	s := newScene(t, one, one, one)
	s.does = func(agent.Task) any { return agent.Result{End: agent.Crashed, Why: "no such model"} }
	ends := s.drive(drive.Options{Breaker: &budget.Breaker{}}, evidence.Person)
	if !strings.Contains(ends[0].Why, "three agent runs in a row did nothing") || !strings.Contains(ends[0].Why, "no such model") {
		t.Errorf("%+v", ends[0])
	}
	s.want("what was asked", s.roles(), "code code code")
	s.filed("bug-deferred")
}

func TestARunThatIsNobodysFaultCostsNoRetry(t *testing.T) {
	for end, do := range map[agent.End]string{agent.NoAgent: "install it", agent.NoLogin: "log in", agent.Unpriced: "a limit that can be enforced", agent.APIError: "try again later", agent.Limited: "wait until the limit resets"} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.does = coding(agent.Result{End: end, Why: "so it is"})
			ends := s.drive(drive.Options{Issue: "1", Explicit: true}, evidence.Person)
			if !strings.Contains(ends[0].Do, do) || !strings.Contains(ends[0].Why, "so it is") {
				t.Errorf("%+v", ends[0])
			}
			s.does = nil
			s.drive(drive.Options{Only: true}, evidence.Merged)
			if n := len(s.book().Skips); n != 0 {
				t.Errorf("%d chunks were skipped", n)
			}
		})
	}
}

// The same of a verifier: the work is not judged, and not refused.
func TestAVerifierThatCannotRunRefusesNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return agent.Result{End: agent.NoLogin, Why: "who are you"}
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Person)
	s.does = nil
	s.drive(drive.Options{Only: true}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify verify")
}

func TestAnAgentThatCrashesIsAskedAgain(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	n := 0
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return nil
		}
		if n++; n == 1 {
			return "echo half > AC-01.txt; echo oops >&2; exit 3"
		}
		return "echo x > AC-01.txt"
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.says("the agent did not finish (crashed): oops")
	s.want("what was asked", s.roles(), "code fix verify")
}

// A setting's own limits of the session, and a gate that is a command.
func TestAGateOfTheSettings(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.settings(map[string]any{"verification_gates": map[string]any{"tests_passed": []string{"test -e gate.txt"}}, "reasoning_budget": map[string]string{"coding": "low"}, "phase_timeout_enforcement": "block"})
	n := 0
	s.does = func(t agent.Task) any {
		if t.Role == agent.Verify {
			return nil
		}
		if n++; n == 1 {
			return "echo x > AC-01.txt"
		}
		return "echo x > gate.txt"
	}
	s.drive(drive.Options{Issue: "1", Model: "m"}, evidence.Merged)
	if s.asked[0].Effort != "low" || s.asked[1].Effort != "low" && s.asked[1].Effort != "high" || s.asked[0].Model != "m" || s.asked[0].Timeout > 30*60e9 {
		t.Errorf("%+v", s.asked[0])
	}
	s.want("what was asked", s.roles(), "code verify fix verify")
}

func TestAGateAtTheMergeNeedsAPerson(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.settings(map[string]any{"verification_gates": map[string]any{"merge_ready": []string{"test -e gate.txt"}}})
	s.drive(drive.Options{Issue: "1"}, evidence.Person)
	s.says("test -e gate.txt")
	s.sh("echo x > gate.txt")
	s.settings(nil)
	s.drive(drive.Options{Only: true}, evidence.Merged)
}

// A phase that lasts too long aborts where the settings say so: that is a budget that is
// spent, and not a person who stopped it.
func TestAPhaseThatLastsTooLongAborts(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.settings(map[string]any{"phase_timeout_enforcement": "abort"})
	var late atomic.Bool
	s.change = func(e *drive.Engine) {
		env := turnstile.System()
		env.PID, env.Signer = e.PID, s.key()
		env.Now = func() time.Time {
			if late.Load() {
				return time.Now().Add(time.Hour)
			}
			return time.Now()
		}
		e.Drive = turnstile.Open(s.root, env)
	}
	s.does = func(agent.Task) any { late.Store(true); return nil }
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Budget)
	if why := ends[0].Why; !strings.Contains(why, "phase_timeout") || !strings.Contains(why, "coding") {
		t.Errorf("%+v", ends[0])
	}
}
