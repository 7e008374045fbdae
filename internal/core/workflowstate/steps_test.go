package workflowstate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"warp/internal/core/learning"
	"warp/internal/core/machine"
	"warp/internal/core/workflowstate/supervise"
)

// step is a transition with its arguments drawn.
type step struct {
	name  string
	apply func(*State)
}

func draw(t *rapid.T) step {
	task := rapid.SampledFrom([]string{"1.1", "1.2", "1.3", "2.1", "9.9", OuterTask}).Draw(t, "task")
	n := rapid.IntRange(1, 4).Draw(t, "n")
	micro := rapid.Int64Range(-1, 3_000_000).Draw(t, "micro")
	total := time.Duration(rapid.IntRange(0, 10_000_000).Draw(t, "ms")) * time.Millisecond
	at := clock(12, rapid.IntRange(0, 59).Draw(t, "minute"), 0)
	kind := rapid.SampledFrom([]string{TaskExecutor, SupervisorAgent}).Draw(t, "kind")
	action := rapid.SampledFrom([]supervise.Action{supervise.Pass, supervise.AutoFix, supervise.RePlan}).Draw(t, "action")
	event := rapid.SampledFrom([]Event{PlanApproved, PhasesDone, OuterDone, PlanRejected, GaveUp, Aborted}).Draw(t, "event")
	if event != PlanApproved && rapid.IntRange(0, 3).Draw(t, "ending") > 0 {
		event = PlanApproved
	}
	return rapid.SampledFrom([]step{
		{"Fire", func(s *State) { _ = s.Fire(event, "why", task, at) }},
		{"PhaseBegun", func(s *State) { s.PhaseBegun(n - 1) }},
		{"TaskBegun", func(s *State) { s.TaskBegun(task, at) }},
		{"IterationBegun", func(s *State) { s.IterationBegun(task, n) }},
		{"IterationDone", func(s *State) { s.IterationDone(task, n, micro, total) }},
		{"IterationSentBack", func(s *State) { s.IterationSentBack(task, n) }},
		{"Spent", func(s *State) { s.Spent(fmt.Sprint("scan ", n), task, micro) }},
		{"Elapsed", func(s *State) { s.SafetyBounds.RaiseElapsed(total) }},
		{"TaskDone", func(s *State) { s.TaskDone(Finish{Task: task, Files: []string{"a"}}, at) }},
		{"TaskFailed", func(s *State) { s.TaskFailed(task, "why", at) }},
		{"Replanned", func(s *State) {
			if s.PendingTasks.Find(task) != nil || s.CompletedTasks.Has(task) { // others would be added
				s.Replanned(Planned{Task: task, Name: "t"}, fmt.Sprint("plan ", n), "why")
			}
		}},
		{"SupervisorChecked", func(s *State) { s.SupervisorChecked(Check{PreTask, task, n, 1, micro}, at) }},
		{"Intervened", func(s *State) { s.Intervened(Intervention{Task: task, Round: n, Action: action}, at) }},
		{"Learned", func(s *State) { s.Learnings.Add(learning.Learning{Task: task, Iteration: n, Lesson: kind}) }},
		{"MilestoneReached", func(s *State) { s.Milestones.Reach(n, "name", "url", at) }},
		{"CheckpointMade", func(s *State) { s.Checkpoints.Add(n, Checkpoint{Phase: 0, Task: task, GitSHA: "sha"}, at) }},
		{"AgentStarted", func(s *State) { s.ActiveAgents.Start(Agent{Type: kind, Task: task, Iteration: n}, at) }},
		{"AgentIs", func(s *State) { s.ActiveAgents.SetStatus(kind, task, Waiting) }},
		{"AgentEnded", func(s *State) { s.ActiveAgents.End(kind, task) }},
		{"AgentsGone", func(s *State) { s.ActiveAgents.RemoveGone(func(a Agent) bool { return a.Task == task }) }},
		{"Pause", func(s *State) { s.Pause(PausedPerson, "why", task, at) }},
		{"Resume", func(s *State) { s.Resume() }},
		{"Warned", func(s *State) { s.SafetyBounds.Warn(s.Crossed(task, 0)) }},
		{"Extend", func(s *State) { s.Extend(fmt.Sprint(n), Limits{1, 1_000_000, time.Minute}) }},
	}).Draw(t, "step")
}

// Whatever has happened: a step that is applied again changes nothing, the
// document stays valid, no task is lost or there twice, and what was spent is
// what was counted.
func TestEveryStepCanBeAppliedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Begin(plan(), clock(12, 0, 0))
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			st := draw(t)
			st.apply(s)
			once := string(Print(s, nil))
			st.apply(s)
			if again := string(Print(s, nil)); again != once {
				t.Fatalf("%s, applied again:\n%s\nbecame\n%s", st.name, once, again)
			}
			if err := Validate(s); err != nil {
				t.Fatal(st.name, err)
			}
			var all []string
			spent := int64(0)
			for _, d := range s.CompletedTasks {
				all, spent = append(all, d.Task), spent+d.MicroUSD
			}
			for _, p := range s.PendingTasks {
				all, spent = append(all, p.Task), spent+p.MicroUSD
			}
			slices.Sort(all)
			if fmt.Sprint(all) != "[1.1 1.2 1.3 2.1]" || spent > s.SafetyBounds.Cost() {
				t.Fatal(st.name, all, spent, s.SafetyBounds.Cost())
			}
			if s.Orchestrator.Status.Ended() != (s.Orchestrator.EndTime != nil) || s.Orchestrator.OuterRalph != (s.Orchestrator.Status == Reviewing) {
				t.Fatal(st.name, s.Orchestrator)
			}
		}
	})
}

// Every status with every event: only what the rows say happens.
func TestLifecycle(t *testing.T) {
	table := Lifecycle()
	if len(table.Ambiguous()) > 0 || len(table.Reachable(Planning)) != 5 || len(table.AllEvents()) != 7 {
		t.Error(table.Reachable(Planning), table.AllEvents())
	}
	way, _ := table.Way(Planning, Completed)
	if fmt.Sprint(way) != "[plan_approved phases_done outer_done]" {
		t.Error(way)
	}
	for _, from := range table.States() {
		for _, e := range table.AllEvents() {
			s := Begin(plan(), clock(12, 0, 0))
			s.Orchestrator.Status = from
			want, refused := table.Next(from, e)
			err := s.Fire(e, "why", "1.1", clock(13, 0, 0))
			var refusal *machine.Refusal
			switch {
			case leadsTo(e, s.Orchestrator.Status) && from == s.Orchestrator.Status && err == nil: // it has led here already
			case refused == nil && (err != nil || s.Orchestrator.Status != want):
				t.Errorf("%s, %s: %s, %v", from, e, s.Orchestrator.Status, err)
			case refused != nil && (!errors.As(err, &refusal) || s.Orchestrator.Status != from):
				t.Errorf("%s, %s: %s, %v", from, e, s.Orchestrator.Status, err)
			}
		}
	}
}

func TestTheFirstFailureCounts(t *testing.T) {
	s := story(t)
	s.Pause(PausedPerson, "lunch", "", clock(13, 0, 0))
	if err := s.Fire(Aborted, "no longer wanted", "1.2", clock(13, 1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.Fire(GaveUp, "another", "", clock(14, 0, 0)); err != nil || *s.Failure != (Failure{"2026-01-15T13:01:00Z", Aborted, "no longer wanted", "1.2"}) {
		t.Error(err, s.Failure)
	}
	if s.Paused != nil || len(s.ActiveAgents) > 0 || *s.Orchestrator.EndTime != "2026-01-15T13:01:00Z" || s.Pause(PausedPerson, "", "", clock(15, 0, 0)) {
		t.Error("it has ended")
	}
}

func TestTheFirstPauseStands(t *testing.T) {
	s := story(t)
	if !s.Pause(PausedCost, "Cost at 100% of limit", "1.2", clock(13, 0, 0)) || s.Pause(PausedTime, "", "", clock(13, 5, 0)) || s.Paused.Reason != PausedCost {
		t.Error(s.Paused)
	}
	if !s.Resume() || s.Resume() || s.Paused != nil {
		t.Error(s.Paused)
	}
}

// With tasks side by side the first one is shown.
func TestCurrentTask(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	at := func(task string, iteration int) {
		t.Helper()
		if s.Orchestrator.CurrentTask != task || s.Orchestrator.RalphIteration != iteration {
			t.Errorf("%s, iteration %d; want %s, %d", s.Orchestrator.CurrentTask, s.Orchestrator.RalphIteration, task, iteration)
		}
	}
	at("0/3", 0)
	if !s.TaskBegun("1.3", clock(12, 0, 0)) || s.TaskBegun("1.3", clock(12, 1, 0)) || s.TaskBegun("9.9", clock(12, 0, 0)) {
		t.Error("a task begins once")
	}
	s.IterationBegun("1.3", 2)
	at("3/3", 2)
	s.TaskBegun("1.2", clock(12, 0, 0))
	at("2/3", 0)
	s.IterationBegun("1.2", 1)
	s.IterationBegun("1.3", 3)
	at("2/3", 1)
	if !s.TaskFailed("1.2", "stuck", clock(12, 0, 0)) || s.TaskFailed("1.2", "stuck again", clock(12, 1, 0)) || s.PendingTasks.Find("1.2").FailedWhy != "stuck" {
		t.Error("a try fails once")
	}
	at("3/3", 3)
	s.TaskDone(Finish{Task: "1.3"}, clock(12, 0, 0))
	at("1/3", 0)
	s.TaskBegun("1.2", clock(12, 0, 0))
	at("2/3", 1)
	s.TaskDone(Finish{Task: "1.2"}, clock(12, 0, 0))
	s.PhaseBegun(1)
	at("0/1", 0)
	s.PhaseBegun(0)
	s.TaskBegun("2.1", clock(12, 0, 0))
	at("1/1", 0)
	s.TaskDone(Finish{Task: "2.1"}, clock(12, 0, 0))
	if s.IterationBegun(OuterTask, 1) {
		t.Error("there is no outer loop yet")
	}
	for _, e := range []Event{PlanApproved, PhasesDone} {
		if err := s.Fire(e, "", "", clock(13, 0, 0)); err != nil {
			t.Fatal(err)
		}
	}
	s.IterationBegun(OuterTask, 2)
	at("1/1", 2)
}

func TestListsAreBounded(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	for i := range maxKept + 5 {
		s.Learnings.Add(learning.Learning{Task: "1.1", Iteration: i, Lesson: "x"})
		s.Intervened(Intervention{Task: "1.1", Round: i, Action: supervise.RePlan}, clock(12, 0, 0))
		s.Spent(fmt.Sprint(i), "1.1", 1)
	}
	if len(s.Learnings) != maxKept || s.Learnings[0].Iteration != 5 || len(s.Supervisor.Interventions) != maxKept || len(s.Steps) != maxSteps {
		t.Error(len(s.Learnings), len(s.Supervisor.Interventions), len(s.Steps))
	}
	if s.Supervisor.RePlansTriggered != maxKept+5 || s.PendingTasks.Find("1.1").Replans != maxKept+5 || s.PendingTasks.Find("1.1").MicroUSD != maxKept+5 {
		t.Error("what is counted is counted whole")
	}
}

func TestAMilestoneGetsItsAddressLater(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	if !s.Milestones.Reach(0, "Foundation", "", clock(12, 0, 0)) || !s.Milestones.Reach(0, "Foundation", "url", clock(13, 0, 0)) || s.Milestones.Reach(0, "x", "other", clock(14, 0, 0)) {
		t.Error("once, and once more for the address")
	}
	if m := s.Milestones[0]; len(s.Milestones) != 1 || m.IssueURL != "url" || m.Completed != "2026-01-15T12:00:00Z" {
		t.Error(m)
	}
}

func TestAgents(t *testing.T) {
	s := story(t)
	s.ActiveAgents.Start(Agent{Type: TaskExecutor, Task: "1.2", Iteration: 2}, clock(12, 40, 0))
	s.ActiveAgents.Start(Agent{Type: SupervisorAgent, Task: "1.2", PID: 7}, clock(12, 41, 0))
	if a := s.ActiveAgents[0]; len(s.ActiveAgents) != 2 || a.Iteration != 2 || a.Status != InProgress {
		t.Error(s.ActiveAgents)
	}
	if !s.ActiveAgents.SetStatus(TaskExecutor, "1.2", Waiting) || s.ActiveAgents.SetStatus(TaskExecutor, "1.2", Waiting) || s.ActiveAgents.SetStatus(Scanner, "1.2", Blocked) || s.ActiveAgents[0].Status != Waiting {
		t.Error(s.ActiveAgents)
	}
	gone := s.ActiveAgents.RemoveGone(func(a Agent) bool { return a.PID != 7 })
	if len(gone) != 1 || gone[0].Type != SupervisorAgent || len(s.ActiveAgents) != 1 {
		t.Error(gone)
	}
	if !s.ActiveAgents.End(TaskExecutor, "1.2") || s.ActiveAgents.End(TaskExecutor, "1.2") || s.ActiveAgents.End(OuterRalph, OuterTask) {
		t.Error(s.ActiveAgents)
	}
}

// A new plan brings a task, gives another name, and leaves alone what is done.
func TestReplanned(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	s.TaskBegun("1.1", clock(12, 0, 0))
	s.TaskDone(Finish{Task: "1.1"}, clock(12, 1, 0))
	if s.Replanned(Planned{Task: "1.1", Name: "another"}, "plan", "why") {
		t.Error("a completed task was re-planned")
	}
	for range 2 {
		s.Replanned(Planned{Phase: 0, Task: "1.9", Name: "Ninth"}, "do it", "it was missing")
	}
	s.Replanned(Planned{Phase: 0, Task: "1.2", Name: "Renamed"}, "otherwise", "why")
	var got []string
	for _, p := range s.PendingTasks {
		got = append(got, fmt.Sprintf("%d %s %s %d %s", p.Phase, p.Task, p.Name, p.Number, p.Plan))
	}
	if want := "0 1.2 Renamed 2 otherwise|0 1.3 Write docs 3 |0 1.9 Ninth 4 do it|1 2.1 Create endpoints 1 "; strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
	if s.Orchestrator.CurrentTask != "1/4" {
		t.Error(s.Orchestrator.CurrentTask)
	}
}

// A check that finds two grave things has planned anew once; a person who lets the
// workflow go on after too many plans allows as many again.
func TestReplansAreCountedByCheck(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	for round := range 2 {
		for _, detail := range []string{"one", "two"} {
			s.Intervened(Intervention{CheckType: PostTask, Task: "1.1", Round: round, Action: supervise.RePlan, Detail: detail}, clock(12, 0, 0))
		}
	}
	if n := s.Supervisor.RePlansTriggered; n != 2 || s.PendingTasks.Find("1.1").Replans != 2 || len(s.Supervisor.Interventions) != 4 {
		t.Error(n, s.PendingTasks.Find("1.1").Replans, len(s.Supervisor.Interventions))
	}
	s.Pause(PausedPerson, "why", "1.1", clock(12, 0, 0))
	s.Resume()
	if s.PendingTasks.Find("1.1").Replans != 2 {
		t.Error("another pause has to do with plans")
	}
	s.Pause(PausedReplans, "why", "1.1", clock(12, 0, 0))
	s.Resume()
	if s.PendingTasks.Find("1.1").Replans != 0 || s.Supervisor.RePlansTriggered != 2 {
		t.Error(s.PendingTasks.Find("1.1").Replans, s.Supervisor.RePlansTriggered)
	}
}

func TestCommitIs(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	s.TaskDone(Finish{Task: "1.1", Commit: "a"}, clock(12, 1, 0))
	if !s.CompletedTasks.SetCommit("1.1", "b") || s.CompletedTasks.SetCommit("1.1", "b") || s.CompletedTasks.SetCommit("1.2", "b") || s.CompletedTasks[0].Commit != "b" {
		t.Error(s.CompletedTasks)
	}
}

// A new plan leaves alone what is done, and what another agent is at.
func TestUntouchable(t *testing.T) {
	at := time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)
	s := Begin(Plan{Tasks: []Planned{{Task: "1.1"}, {Task: "1.2"}, {Task: "1.3"}, {Task: "1.4"}}}, at)
	for _, task := range []string{"1.1", "1.2", "1.3"} {
		s.TaskBegun(task, at)
	}
	s.TaskDone(Finish{Task: "1.1", Criteria: Criteria{{"there", true}}}, at)
	if got := fmt.Sprint(s.CompletedTasks.IDs(), s.Untouchable("1.2")); got != "map[1.1:true] map[1.1:true 1.3:true]" {
		t.Error(got)
	}
	if !s.CompletedTasks[0].Criteria.AllMet() || (Criteria{{"there", true}, {"not", false}}).AllMet() {
		t.Error("which criteria are met")
	}
}
