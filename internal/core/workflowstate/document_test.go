package workflowstate

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/learning"
	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate/supervise"
	"warp/internal/testkit/need"
)

// clock is a time of the documents' day.
func clock(hour, minute, second int) time.Time {
	return time.Date(2026, 1, 15, hour, minute, second, 0, time.UTC)
}

func parse(t testing.TB, text string) *lossless.Value {
	t.Helper()
	v, err := lossless.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

func read(t testing.TB, text string) (*State, *lossless.Value) {
	t.Helper()
	v, s := parse(t, text), &State{}
	if err := lossless.Decode(v, s); err != nil {
		t.Fatal(err)
	}
	return s, v
}

func seed(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/seed.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func plan() Plan {
	return Plan{
		TaskDoc: "/home/you/.claude/tasks/user-auth.md", Phases: 2, Supervised: true,
		Tasks: []Planned{{0, "1.1", "Update User model"}, {0, "1.2", "Implement JWT"}, {0, "1.3", "Write docs"}, {1, "2.1", "Create endpoints"}},
	}
}

// story is a workflow in which everything has happened once.
func story(t testing.TB) *State {
	t.Helper()
	s := Begin(plan(), clock(12, 0, 0))
	if err := s.Fire(PlanApproved, "", "", clock(12, 1, 0)); err != nil {
		t.Fatal(err)
	}
	s.Checkpoints.Add(1, Checkpoint{Phase: 0, Task: "1.1", GitSHA: "abc123def456"}, clock(12, 1, 0))
	s.TaskBegun("1.1", clock(12, 1, 0))
	s.IterationBegun("1.1", 1)
	s.IterationDone("1.1", 1, 180_000, 15*time.Minute)
	s.SupervisorChecked(Check{Type: PostTask, Task: "1.1", Round: 1, Conflicts: 1, MicroUSD: 20_000}, clock(12, 16, 0))
	s.Intervened(Intervention{CheckType: PostTask, Task: "1.1", Round: 1, ConflictType: supervise.Pattern, Severity: supervise.Low, Action: supervise.AutoFix,
		Resolution: "Fixed naming conventions in 3 files"}, clock(12, 16, 0))
	s.SafetyBounds.RaiseElapsed(15*time.Minute + 23*time.Second)
	s.TaskDone(Finish{Task: "1.1", Files: []string{"src/models/user.ts"}, Criteria: Criteria{{"user_model_updated", true}, {"migration_tested", true}}}, clock(12, 16, 23))
	s.TaskBegun("1.2", clock(12, 17, 0))
	s.IterationBegun("1.2", 1)
	s.ActiveAgents.Start(Agent{Type: TaskExecutor, Task: "1.2", Iteration: 1}, clock(12, 17, 0))
	s.Learnings.Add(learning.Learning{Timestamp: Stamp(clock(12, 18, 0)), Task: "1.2", Iteration: 1, Type: learning.Antipattern, Lesson: "Hardcoding JWT secret in code failed security scan",
		Pattern: "NEVER hardcode secrets", Context: "JWT secret management"})
	s.IterationDone("1.2", 1, 550_000, 34*time.Minute+8*time.Second)
	s.IterationBegun("1.2", 2)
	s.Milestones.Reach(0, "Foundation", "https://example.org/issues/123", clock(12, 28, 0))
	return s
}

func TestTheStory(t *testing.T) {
	s := story(t)
	got := []any{s.Orchestrator.CurrentTask, s.Orchestrator.RalphIteration, s.SafetyBounds.CostSoFar, s.SafetyBounds.ElapsedTime, s.SafetyBounds.MaxCost, s.SafetyBounds.MaxTime,
		s.Supervisor.ChecksPerformed, s.Supervisor.ConflictsDetected, s.Supervisor.AutoFixesApplied, *s.Supervisor.LastCheck,
		s.CompletedTasks[0].TimeElapsed, s.CompletedTasks[0].Cost, s.CompletedTasks[0].Iterations, len(s.PendingTasks)}
	want := []any{"2/3", 2, "$0.75", "0h 34m 8s", "$10", "2h", 1, 1, 1, "2026-01-15T12:16:00Z", "15m 23s", "$0.20", 1, 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := Validate(s); err != nil {
		t.Error(err)
	}
}

// ours are the members that the schema does not have.
var ours = strings.Fields("number began began_after_ms iteration iterations cost_micro_usd elapsed_ms steps round")

// shape lists the members of a document, by their way and kind, those of arrays
// by their first element.
func shape(v *lossless.Value, way string) (lines []string) {
	for _, m := range v.Members {
		at := way + "." + m.Key
		own := strings.HasPrefix(way, ".pending_tasks") || strings.HasPrefix(way, ".completed_tasks") && m.Key != "iterations" || way == ".safety_bounds" || way == "" || strings.Contains(way, "interventions")
		if own && strings.Contains(" "+strings.Join(ours, " ")+" ", " "+m.Key+" ") {
			continue
		}
		if strings.HasSuffix(way, "success_criteria_met") {
			continue
		}
		lines = append(lines, at+" "+m.Value.Kind.String())
		if len(m.Value.Elems) > 0 {
			m.Value = m.Value.Elems[0]
		}
		lines = append(lines, shape(m.Value, at)...)
	}
	return lines
}

func TestTheDocumentIsTheDocumentedOne(t *testing.T) {
	want := shape(parse(t, seed(t)), "")
	if diff := cmp.Diff(want, shape(parse(t, string(Print(story(t), nil))), "")); diff != "" {
		t.Error(diff)
	}
}

func TestNothingOfOthersIsLost(t *testing.T) {
	s, v := read(t, seed(t))
	if got := Print(s, v); !lossless.Equal(parse(t, string(got)), v) {
		t.Errorf("%s", got)
	}
	if err := Validate(s); err != nil {
		t.Error(err)
	}
	theirs := strings.ReplaceAll(seed(t), `"task": "2.1",`, `"task": "2.1", "theirs": 1,`)
	theirs = strings.Replace(theirs, `"orchestrator": {`, `"theirs": 1, "orchestrator": {"theirs": 1,`, 1)
	s, v = read(t, theirs)
	s.TaskBegun("2.1", clock(13, 0, 0))
	s.TaskDone(Finish{Task: "2.1"}, clock(13, 0, 0))
	s.ActiveAgents.Start(Agent{Type: TaskExecutor, Task: "2.1", Iteration: 3}, clock(13, 0, 0))
	text := string(Print(s, v))
	if was, is := strings.Count(theirs, "theirs"), strings.Count(text, "theirs"); is != was {
		t.Errorf("%d became %d:\n%s", was, is, text)
	}
	done := parse(t, text).Get("completed_tasks").Elems[2]
	var keys []string
	for _, m := range done.Members {
		keys = append(keys, m.Key)
	}
	if got := strings.Join(keys, " "); got != "task name completed iterations time_elapsed cost files_modified success_criteria_met phase theirs" {
		t.Error(got)
	}
}

// A checkpoint's snapshot is a state: copied over the file it can be gone on
// with.
func TestASnapshotIsAState(t *testing.T) {
	s := story(t)
	s.Checkpoints.Add(3, Checkpoint{Phase: 0, Task: "1.2", GitSHA: "def456"}, clock(12, 30, 0))
	s.Checkpoints.Add(2, Checkpoint{Phase: 0, Task: "1.2", GitSHA: "def456"}, clock(12, 30, 0))
	text := Print(s, nil)
	again, v := read(t, string(text))
	if err := Validate(again); err != nil || string(Print(again, v)) != string(text) || again.Checkpoints.Last() != 3 {
		t.Error(err)
	}
	for file, want := range map[string]int{"checkpoint-001.json": 1, "checkpoint-1234.json": 1234, "checkpoint-1.json": 0, "checkpoint-000.json": 0, "checkpoint.json": 0, "checkpoint-001.json.bak": 0} {
		if n, ok := SnapshotNumber(file); n != want || ok != (want > 0) {
			t.Errorf("%s: %d", file, n)
		}
	}
}

func TestEveryQueryOfTheDocument(t *testing.T) {
	jq := need.Tool(t, "jq")
	for query, want := range map[string]string{
		`.orchestrator.status`: `"executing"`,
		`{phase: .orchestrator.current_phase, task: .orchestrator.current_task, status: .orchestrator.status}`: `{"phase":0,"task":"2/3","status":"executing"}`,
		`.safety_bounds | {cost: .cost_so_far, time: .elapsed_time, max_cost, max_time}`:                       `{"cost":"$0.75","time":"0h 34m 8s","max_cost":"$10","max_time":"2h"}`,
		`.completed_tasks[] | {task, name, iterations, time: .time_elapsed}`:                                   `{"task":"1.1","name":"Update User model","iterations":1,"time":"15m 23s"}`,
		`.supervisor.interventions[]`:         `{"timestamp":"2026-01-15T12:16:00Z","check_type":"post_task","task":"1.1","conflict_type":"pattern","severity":"low","action":"auto_fix","resolution":"Fixed naming conventions in 3 files","round":1}`,
		`.learnings[] | {task, type, lesson}`: `{"task":"1.2","type":"antipattern","lesson":"Hardcoding JWT secret in code failed security scan"}`,
	} {
		cmd := exec.Command(jq, "-c", query)
		cmd.Stdin = strings.NewReader(string(Print(story(t), nil)))
		out, err := cmd.Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s: %v\n got: %s\nwant: %s", query, err, got, want)
		}
	}
}

func TestAnEmptyState(t *testing.T) {
	got := string(lossless.AppendCompact(nil, lossless.Encode(Begin(Plan{}, clock(12, 0, 0)), nil)))
	want := `{"orchestrator":{"status":"planning","task_doc":"","current_phase":0,"total_phases":0,"current_task":"0/0","ralph_iteration":0,"outer_ralph":false,"start_time":"2026-01-15T12:00:00Z","end_time":null},` +
		`"supervisor":{"enabled":false,"checks_performed":0,"conflicts_detected":0,"auto_fixes_applied":0,"re_plans_triggered":0,"last_check":null,"interventions":[]},` +
		`"active_agents":[],"completed_tasks":[],"pending_tasks":[],"safety_bounds":{"max_iterations_per_task":30,"max_cost":"$10","max_time":"2h","cost_so_far":"$0.00","elapsed_time":"0h 0m 0s","warnings":[]},` +
		`"learnings":[],"milestones":[],"checkpoints":[]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{`"status": "executing"`, `"status": "x"`, `orchestrator.status: "x" is not one of`},
		{`"status": "executing"`, `"status": null`, "orchestrator.status is missing"},
		{`"current_phase": 2`, `"current_phase": -1`, "must not be negative"},
		{`"max_iterations_per_task": 30`, `"max_iterations_per_task": -1`, "must not be negative"},
		{`"$10"`, `"ten"`, `safety_bounds.max_cost: "ten" is not an amount`},
		{`"$0.75"`, `"$0.1234567"`, "safety_bounds.cost_so_far"},
		{`"2h"`, `"-2h"`, `safety_bounds.max_time: "-2h" is not a time`},
		{`"start_time": "2026-01-15T12:00:00Z"`, `"start_time": "noon"`, "orchestrator.start_time"},
		{`"end_time": null`, `"end_time": "noon"`, "orchestrator.end_time"},
		{`"last_check": "2026-01-15T12:30:00Z"`, `"last_check": "noon"`, "supervisor.last_check"},
		{`"task": "3.1"`, `"task": "1.2"`, `pending_tasks[2]: task "1.2" is there already`},
		{`"task": "3.1"`, `"task": ""`, "pending_tasks[2].task is missing"},
		{`"task": "1.2",
      "name"`, `"task": "1.1", "name"`, `completed_tasks[1]: task "1.1"`},
		{`"$10"`, `""`, ""},
		{`"last_check": "2026-01-15T12:30:00Z"`, `"last_check": null`, ""},
	} {
		if !strings.Contains(seed(t), c.from) {
			t.Fatal(c.from)
		}
		s, _ := read(t, strings.Replace(seed(t), c.from, c.to, 1))
		if err := Validate(s); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.to, err, c.want)
		}
	}
	if err := lossless.Decode(parse(t, strings.Replace(seed(t), `"tests_passing": true`, `"tests_passing": 1`, 1)), &State{}); err == nil || !strings.Contains(fmt.Sprint(err), "success_criteria_met.tests_passing must be a boolean") {
		t.Error(err)
	}
	if err := lossless.Decode(parse(t, `{"completed_tasks": [{"success_criteria_met": []}]}`), &State{}); err == nil {
		t.Error("an array is no object")
	}
}
