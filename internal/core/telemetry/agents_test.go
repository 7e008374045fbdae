package telemetry

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func (a *Agents) ids() (list []string) {
	for _, g := range a.Agents {
		list = append(list, g.ID)
	}
	return list
}

func TestAgentsComeAndGo(t *testing.T) {
	a := &Agents{}
	a.Start(Agent{ID: "1", Type: "explorer", Task: "look"}, "s1")
	a.Start(Agent{ID: "2", Status: "waiting"}, "s2")
	a.Start(Agent{ID: "1", Type: "explorer", Task: "look again"}, "s1")
	if a.TotalSpawned != 2 || a.SessionID != "s1" || a.Agents[0].Status != running || a.Agents[1].Status != "waiting" || a.Agents[0].Task != "look again" {
		t.Errorf("%+v", a)
	}
	if _, ok := a.Stop("compaction", false); ok || a.TotalCompleted != 0 {
		t.Error("an agent that never started has stopped")
	}
	if g, ok := a.Stop("1", true); !ok || g.Type != "explorer" || g.Session != "s1" {
		t.Errorf("%+v, %v", g, ok)
	}
	if _, ok := a.Stop("1", true); ok {
		t.Error("stopped twice")
	}
	if got, want := a.Counts("s1"), (AgentCounts{1, 1, 1}); got != want || a.TotalCompleted != 1 || a.TotalFailed != 1 {
		t.Errorf("%+v, %+v", got, a)
	}
	if diff := cmp.Diff([]string{"2"}, a.ids()); diff != "" {
		t.Error(diff)
	}
}

func TestASessionClearsOnlyItsOwn(t *testing.T) {
	a := &Agents{}
	a.Start(Agent{ID: "1"}, "s1")
	a.Start(Agent{ID: "2"}, "s2")
	a.Start(Agent{ID: "3"}, "s1")
	a.Stop("1", false)
	if a.Clear("nobody") || a.Clear("") {
		t.Error("cleared what is not there")
	}
	if !a.Clear("s1") || len(a.Agents) != 1 || a.TotalSpawned != 1 || a.TotalCompleted != 0 || a.SessionID != "" {
		t.Errorf("%+v", a)
	}
	if !a.Clear("s2") || a.Clear("s2") || len(a.Agents) != 0 || a.TotalSpawned != 0 || len(a.Sessions) != 0 {
		t.Errorf("%+v", a)
	}
}

// A document that others wrote has neither owners nor shares.
func TestADocumentOfOthersIsCleared(t *testing.T) {
	a := &Agents{Agents: []Agent{{ID: "1"}, {ID: "2"}}, TotalSpawned: 3, TotalCompleted: 1, SessionID: "s"}
	if _, ok := a.Stop("1", false); !ok || a.TotalCompleted != 2 || len(a.Sessions) != 0 {
		t.Errorf("%+v", a)
	}
	if a.Clear("other") || !a.Clear("s") || a.TotalSpawned != 0 || a.TotalCompleted != 0 || len(a.Agents) != 0 {
		t.Errorf("%+v", a)
	}
}

func TestTotalsAreTheSumOfTheSessions(t *testing.T) {
	sessions := []string{"s1", "s2", "s3"}
	rapid.Check(t, func(t *rapid.T) {
		a := &Agents{}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			id := rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "id")
			session := rapid.SampledFrom(sessions).Draw(t, "session")
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				if a.find(id) < 0 {
					a.Start(Agent{ID: id}, session)
				}
			case 2, 3:
				a.Stop(id, rapid.Bool().Draw(t, "failed"))
			default:
				a.Clear(session)
			}
			var sum AgentCounts
			for _, s := range sessions {
				n := a.Counts(s)
				sum = AgentCounts{sum.Spawned + n.Spawned, sum.Completed + n.Completed, sum.Failed + n.Failed}
			}
			if sum != (AgentCounts{a.TotalSpawned, a.TotalCompleted, a.TotalFailed}) || sum.Spawned-sum.Completed != len(a.Agents) {
				t.Fatalf("%+v", a)
			}
		}
	})
}
