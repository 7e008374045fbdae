package workflowstate

import (
	"testing"
	"time"
)

// An agent waits for what ends by itself, and is blocked until a person resumes.
func TestAgentsWaitAndAreBlocked(t *testing.T) {
	at := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	s := Begin(Plan{ID: "x", TaskDoc: "/t.md", Phases: 1, Tasks: []Planned{{0, "1.1", "A"}, {0, "1.2", "B"}}}, at)
	s.ActiveAgents.Start(Agent{Type: TaskExecutor, Task: "1.1", PID: 7}, at)
	s.ActiveAgents.Start(Agent{Type: SupervisorAgent, Task: "1.2", PID: 7, PIDStamp: "x"}, at)
	if !s.ActiveAgents.Wait(TaskExecutor, "1.1", "a limit", at.Add(time.Hour)) || s.ActiveAgents.Wait(Scanner, "1.1", "", at) {
		t.Error("it waits")
	}
	if a := s.ActiveAgents[0]; a.Status != Waiting || a.Why != "a limit" || a.Until != "2026-01-15T13:00:00Z" {
		t.Errorf("%+v", a)
	}
	s.ActiveAgents.SetStatus(TaskExecutor, "1.1", InProgress)
	if a := s.ActiveAgents[0]; a.Status != InProgress || a.Why+a.Until != "" {
		t.Errorf("%+v", a)
	}
	s.Pause(PausedAgent, "log in", "1.2", at)
	s.Pause(PausedCost, "too much", "", at) // the first stands, and this is about no task
	if a, b := s.ActiveAgents[0], s.ActiveAgents[1]; a.Status != InProgress || b.Status != Blocked || b.Why != "log in" || b.PID != 0 || b.PIDStamp != "" {
		t.Errorf("%+v %+v", a, b)
	}
	s.Pause(PausedIterations, "used up", OuterTask, at)
	if a := s.ActiveAgents[2]; a.Type != OuterRalph || a.Status != Blocked {
		t.Errorf("%+v", a)
	}
	s.EngineLeaves()
	if len(s.ActiveAgents) != 2 || s.ActiveAgents[0].Status != Blocked {
		t.Errorf("%+v", s.ActiveAgents)
	}
	if s.Resume(); len(s.ActiveAgents) != 0 {
		t.Errorf("%+v", s.ActiveAgents)
	}
}

func TestTheTimeRunsOn(t *testing.T) {
	at := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	s := Begin(Plan{ID: "x", TaskDoc: "/t.md"}, at)
	s.SafetyBounds.RaiseElapsed(time.Minute)
	if d := s.SafetyBounds.ElapsedBy(at); d != time.Minute {
		t.Error(d)
	}
	s.SafetyBounds.ElapsedAt = Stamp(at)
	if d := s.SafetyBounds.ElapsedBy(at.Add(time.Hour)); d != time.Hour+time.Minute {
		t.Error(d)
	}
	if d := s.SafetyBounds.ElapsedBy(at.Add(-time.Hour)); d != time.Minute {
		t.Error("two clocks that differ:", d)
	}
}
