package drive_test

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/testkit/forgetest/hub"
)

// A night waits for checks that have not begun or not ended, until one of them needs another
// cycle or its time comes.
func TestChecksAreAwaited(t *testing.T) {
	t.Parallel()
	s, h, pull := pulled(t)
	now := time.Now()
	until := now.Add(time.Hour)
	set := func(list ...hub.Check) {
		h.Lock()
		defer h.Unlock()
		h.Checks[h.Tip("feature/mine")] = list
	}
	var waits []string
	await := func(only []string, during func(n int)) string {
		waits = nil
		e := s.engine(drive.Options{Own: true})
		e.Now = func() time.Time { return now }
		issue, err := e.AwaitFollow(t.Context(), until, only, func(_ context.Context, next time.Time, why string) error {
			waits = append(waits, why)
			now = next
			during(len(waits))
			return nil
		})
		s.must(err)
		return issue
	}
	got := await(nil, func(n int) {
		switch n {
		case 1:
			set(hub.Check{ID: 5, Name: "build"}, hub.Check{ID: 6, Name: "lint", Conclusion: "success"})
		case 3:
			set(hub.Check{ID: 5, Name: "build", Conclusion: "failure", Log: "no"})
		}
	})
	s.want("the issue", got, "1")
	under := "the check build of pull request #" + strconv.Itoa(pull.Number) + " is under way"
	want := []string{"the checks of pull request #" + strconv.Itoa(pull.Number) + " have not begun", under, under}
	if !slices.Equal(waits, want) {
		t.Errorf("it waited for %q", waits)
	}

	set(hub.Check{ID: 7, Name: "build"})
	if got := await([]string{"9"}, func(int) {}); got != "" || len(waits) != 0 {
		t.Errorf("another issue: %q, %q", got, waits)
	}
	if got := await(nil, func(int) {}); got != "" || now.Before(until) || len(waits) < 50 {
		t.Errorf("until the time came: %q, %d waits, %v", got, len(waits), now)
	}
	until = now.Add(time.Hour)
	set(hub.Check{ID: 8, Name: "build", Conclusion: "success"})
	if got := await(nil, func(int) {}); got != "" || len(waits) != 0 {
		t.Errorf("all is green: %q, %q", got, waits)
	}
	s.settings(map[string]any{"level": 2, "follow_pulls": false})
	set(hub.Check{ID: 9, Name: "build"})
	if got := await(nil, func(int) {}); got != "" || len(waits) != 0 {
		t.Errorf("it is not followed: %q, %q", got, waits)
	}
}

// All cycles of a pull request share one limit of time.
func TestCyclesShareTheirTime(t *testing.T) {
	t.Parallel()
	s, h, _ := pulled(t)
	redden := func() {
		h.Lock()
		defer h.Unlock()
		h.Checks[h.Tip("feature/mine")] = []hub.Check{{ID: h.ID(), Name: "build", Conclusion: "failure", Log: "no"}}
	}
	work := func(minutes float64) {
		s.must(s.store().AppendSynced(event.Run, evidence.Run{Issue: "1", Role: "code", Agent: "x", End: "done", Seconds: minutes * 60}))
	}
	s.does = func(task agent.Task) any {
		if task.Role == agent.Code {
			return "echo fixed > fixed.txt"
		}
		return nil
	}
	s.settings(map[string]any{"level": 2, "max_session_minutes": 100})
	work(95)
	redden()
	asked := len(s.asked)
	s.drive(drive.Options{Issue: "1"}, evidence.Pull)
	if left := s.asked[asked].Timeout; left > 5*time.Minute || left < time.Minute {
		t.Errorf("the agent has %v", left)
	}
	work(5)
	redden()
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Person)
	if !strings.Contains(ends[0].Why, "the 100 minutes for it are over (max_session_minutes)") {
		t.Errorf("%+v", ends[0])
	}
}
