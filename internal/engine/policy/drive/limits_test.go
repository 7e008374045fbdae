package drive_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/turnstile"
)

// clocked gives the scene a clock that only waiting moves.
func (s *scene) clocked() (passed func() time.Duration) {
	begin := time.Now()
	now := begin
	s.change = func(e *drive.Engine) {
		env := turnstile.System()
		env.PID, env.Signer, env.Now = e.PID, s.key(), func() time.Time { return now }
		e.Drive, e.Now = turnstile.Open(s.root, env), env.Now
		e.Agents.Store, e.Agents.Now = e.Drive.Store(), env.Now
		e.Agents.Wait = func(ctx context.Context, until time.Time, why string) error {
			s.must(e.Drive.SetWaiting(until, why))
			now = until
			s.must(e.Drive.SetWaiting(time.Time{}, ""))
			return ctx.Err()
		}
	}
	return func() time.Duration { return now.Sub(begin) }
}

var overloaded = agent.Result{End: agent.APIError, Class: errorclass.RateLimit, Why: "API Error: 529 Overloaded", Session: "s1"}

// 529 for an hour, for every agent, then an answer: the work is merged, and
// nothing was charged to the chunk.
func TestAnHourOfOverload(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.settings(map[string]any{"max_phase_minutes": 30, "phase_timeout_enforcement": "abort", "max_retries_per_chunk": 1, "max_coding_cycles": 1})
	passed := s.clocked()
	s.does = func(agent.Task) any {
		if passed() < time.Hour {
			return overloaded
		}
		return nil
	}
	s.drive(drive.Options{Issue: "1"}, evidence.Merged)
	s.says("rate_limit")
	s.want("the last asked", s.roles()[len(s.roles())-len("code verify"):], "code verify")
	b := s.book()
	if len(b.Runs) != 2 || len(b.Skips) > 0 {
		t.Errorf("%d runs are on record, given up: %+v", len(b.Runs), b.Skips)
	}
	if passed() < time.Hour {
		t.Errorf("only %v passed", passed())
	}
	v, err := s.engine(drive.Options{}).Drive.Read()
	s.must(err)
	if v.State.Budgets.RetryCount != 0 || v.State.Budgets.CodingCycles > 1 {
		t.Errorf("charged: %+v", v.State.Budgets)
	}
}

// The seed's example makes planning and verifying hard, and coding standard.
func TestReasoningBudget(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[string]string
		want string
	}{
		"the seed's":  {map[string]string{"planning": "high", "coding": "standard", "testing": "high"}, "plan high code standard verify high"},
		"nothing set": {nil, "plan high code standard verify high"},
		"all low":     {map[string]string{"planning": "low", "coding": "low", "testing": "low"}, "plan low code low verify low"},
		"coding low":  {map[string]string{"coding": "low"}, "plan high code low verify high"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, strings.Replace(one, "- [", "An architectural change.\n\n- [", 1))
			if c.set != nil {
				s.settings(map[string]any{"reasoning_budget": c.set})
			}
			s.drive(drive.Options{Issue: "1"}, evidence.Merged)
			var have []string
			for _, a := range s.asked {
				have = append(have, string(a.Role), a.Effort)
			}
			s.want("the effort", strings.Join(have, " "), c.want)
		})
	}
}

// What outlasts the session needs a person, and keeps the work.
func TestAnOverloadThatOutlastsTheSession(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	passed := s.clocked()
	s.does = func(agent.Task) any { return overloaded }
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	if !strings.Contains(ends[0].Why, "waits for limits only until") || !strings.Contains(ends[0].Do, "_workflow.agents") || passed() < 7*time.Hour {
		t.Errorf("%+v after %v", ends[0], passed())
	}
	s.does = nil
	s.drive(drive.Options{Only: true}, evidence.Merged)
}

// Each cause has its own advice, and none of them is charged to the chunk.
func TestWhatIsNotTheAgentsFaultSaysWhatToDo(t *testing.T) {
	for end, want := range map[agent.End]string{agent.NoCredit: "add credit", agent.NoModel: "choose a model", agent.NoLogin: "log in"} {
		t.Run(string(end), func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one)
			s.does = func(agent.Task) any { return agent.Result{End: end, Class: errorclass.Permission, Why: "no"} }
			ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
			if !strings.Contains(ends[0].Do, want) || !strings.HasSuffix(ends[0].Do, "then warp resume") {
				t.Errorf("%+v", ends[0])
			}
			s.does = nil
			s.drive(drive.Options{Only: true}, evidence.Merged)
		})
	}
}
