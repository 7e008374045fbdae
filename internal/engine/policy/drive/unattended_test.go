package drive_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/questions"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/drive"
)

// A default that is taken for want of an answer does the work; a person can still change
// it, and is told how.
func TestADefaultIsTakenAndCanBeChanged(t *testing.T) {
	t.Parallel()
	s := newScene(t, two)
	s.settings(map[string]any{"max_acs_per_commit": 1})
	s.change = func(e *drive.Engine) {
		e.Ask = func(context.Context, drive.Question) (drive.Answer, bool) {
			return drive.Answer{Text: "blue", By: questions.ByDefault, ID: "q7"}, true
		}
	}
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code && t.Chunk == 1 && !strings.Contains(t.Prompt, "No one answered this question in time. Its default holds until a person decides; keep it easy to change:") {
			return map[string]any{"decision": map[string]any{"question": "which colour?", "options": []string{"red", "blue"}, "default": "blue"}}
		}
		if strings.Contains(t.Prompt, "A person has decided") {
			panic("no person has")
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.filed("todo", "which colour")
	s.filed("decision")
	todo, err := s.List(s.Context(), forge.Query{Labels: []string{"todo"}})
	s.must(err)
	if body := todo[0].Body; !strings.Contains(body, "continued with the default, `blue`") || !strings.Contains(body, "`warp answer q7 ANSWER`") {
		t.Error(body)
	}
	s.says("which colour? → blue (the default: no answer came in time)")
	book := s.book()
	if d := book.Decisions; len(d) != 1 || d[0].Row.By != "default (unattended)" || d[0].Row.Answer != "blue" {
		t.Errorf("%+v", d)
	}
	waits := book.Digest(time.Time{}).Waiting
	if len(waits) != 1 || waits[0].What != "default" || waits[0].Text != "which colour? → blue" || !strings.Contains(waits[0].Do, "warp answer q7 … changes it") {
		t.Errorf("%+v", waits)
	}
}

// An agent that asks on and on where no person is gets its default for a few questions,
// and once for each.
func TestDefaultsAreTakenAFewTimes(t *testing.T) {
	for name, c := range map[string]struct {
		question func(n int) string
		defaults int
	}{
		"the same question": {func(int) string { return "which colour?" }, 1},
		"always another":    {func(n int) string { return fmt.Sprintf("which of the %d?", n) }, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.change = func(e *drive.Engine) {
				e.Ask = func(_ context.Context, q drive.Question) (drive.Answer, bool) {
					return drive.Answer{Text: q.Default, By: questions.ByDefault}, true
				}
			}
			n := 0
			s.does = func(t agent.Task) any {
				n++
				return map[string]any{"decision": map[string]any{"question": c.question(n), "default": "blue"}}
			}
			s.drive(drive.Options{Issue: "1"}, evidence.Failed)
			taken := 0
			for _, d := range s.book().Decisions {
				if d.Row.IsDefault() {
					taken++
				}
			}
			if taken != c.defaults || n != c.defaults+1 {
				t.Errorf("%d defaults in %d runs", taken, n)
			}
		})
	}
}

// A question may stand over night: the time until its answer is charged to no budget.
func TestWaitingForAnAnswerCostsNoTime(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.change = func(e *drive.Engine) {
		now, jumped := e.Now, time.Duration(0)
		e.Now = func() time.Time { return now().Add(jumped) }
		e.Ask = func(context.Context, drive.Question) (drive.Answer, bool) {
			jumped = 9 * time.Hour
			return drive.Answer{Text: "blue", By: "t", ID: "q1"}, true
		}
	}
	s.does = func(t agent.Task) any {
		if t.Role == agent.Code && !strings.Contains(t.Prompt, "A person has decided") {
			return map[string]any{"decision": map[string]any{"question": "which colour?", "options": []string{"red", "blue"}}}
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1", MaxTime: time.Hour}, evidence.Merged)
}
