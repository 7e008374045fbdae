//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warp/internal/sys/proc"
	"warp/internal/testkit/messages"
)

// account is agent-state.json, as its schema says.
type account struct {
	Orchestrator struct {
		Status         string  `json:"status"`
		TaskDoc        string  `json:"task_doc"`
		CurrentPhase   int     `json:"current_phase"`
		TotalPhases    int     `json:"total_phases"`
		CurrentTask    string  `json:"current_task"`
		RalphIteration int     `json:"ralph_iteration"`
		OuterRalph     bool    `json:"outer_ralph"`
		StartTime      string  `json:"start_time"`
		EndTime        *string `json:"end_time"`
	}
	Supervisor struct {
		Enabled           bool    `json:"enabled"`
		ChecksPerformed   int     `json:"checks_performed"`
		ConflictsDetected int     `json:"conflicts_detected"`
		AutoFixesApplied  int     `json:"auto_fixes_applied"`
		RePlansTriggered  int     `json:"re_plans_triggered"`
		LastCheck         *string `json:"last_check"`
		Interventions     []struct {
			Timestamp, Task, Severity, Action, Resolution string
			CheckType                                     string `json:"check_type"`
			ConflictType                                  string `json:"conflict_type"`
		}
	}
	ActiveAgents []struct {
		Type, Task, Started, Status string
		Iteration                   int
	} `json:"active_agents"`
	CompletedTasks []struct {
		Task, Name, Completed string
		Iterations            int
		TimeElapsed           string `json:"time_elapsed"`
		Cost                  string
		Files                 []string        `json:"files_modified"`
		Criteria              map[string]bool `json:"success_criteria_met"`
	} `json:"completed_tasks"`
	PendingTasks []struct {
		Phase      int
		Task, Name string
	} `json:"pending_tasks"`
	SafetyBounds struct {
		Iterations int    `json:"max_iterations_per_task"`
		MaxCost    string `json:"max_cost"`
		MaxTime    string `json:"max_time"`
		CostSoFar  string `json:"cost_so_far"`
		Elapsed    string `json:"elapsed_time"`
		Warnings   []string
	} `json:"safety_bounds"`
	Learnings  []lesson
	Milestones []struct {
		Phase           int
		Name, Completed string
		IssueURL        string `json:"issue_url"`
	}
	Checkpoints []struct {
		Timestamp, Task string
		Phase           int
		GitSHA          string `json:"git_sha"`
		StateSnapshot   string `json:"state_snapshot"`
	}
}

type lesson struct {
	Timestamp, Task, Type, Lesson, Pattern, Context string
	Iteration                                       int
}

// The model is scripted, everything else is real: a task document is worked
// through to the merge, and its state says what git, the journal, the tracker and
// the model itself say.
func TestClaudeCodeWorksThroughAWorkflow(t *testing.T) {
	t.Parallel()
	h := drives(t, issueBody, withInit)
	h.write("../words.md", strings.ReplaceAll(words, "~", "`"))
	file := func(name string) []byte {
		text, err := os.ReadFile(filepath.Join(h.root, ".claude", name))
		if err != nil {
			t.Error(err)
		}
		return text
	}
	var mu sync.Mutex
	var during account
	var claims string
	api := messages.ServePicked(t, workflowRole, crew(h.root, func() {
		mu.Lock()
		defer mu.Unlock()
		during, claims = read[account](t, file("agent-state.json")), string(file("locks.json"))
	}))
	h.claude(api.URL, "ANTHROPIC_MODEL=claude-sonnet-4-5")
	began := time.Now().Truncate(time.Second)
	code, out := h.start("workflow", "run", "../words.md", "--level", "3").wait()
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, out)
	}
	if left := proc.EndMarked(h.mark); len(left) > 0 {
		t.Errorf("processes were left: %v", left)
	}
	sideBySide(t, during, claims)

	s := read[account](t, file("agent-state.json"))
	requests := map[string]int{} // by task
	runs := map[string]int{}     // by scenario
	for _, r := range api.Requests() {
		task := "outer"
		if f := strings.Fields(r.Scenario); len(f) > 1 {
			task = f[1]
		}
		requests[task]++
		requests[""]++
		runs[r.Scenario] = 1
	}
	count := func(begin string) (n int) {
		for name := range runs {
			if strings.HasPrefix(name, begin) {
				n++
			}
		}
		return n
	}
	dollars := func(task string) string { return fmt.Sprintf("$%.2f", float64(requests[task]*microUSD)/1e6+1e-9) }

	o := s.Orchestrator
	if o.Status != "completed" || o.TaskDoc != filepath.Join(filepath.Dir(h.root), "words.md") || o.CurrentPhase != 2 || o.TotalPhases != 3 || o.CurrentTask != "2/2" || o.OuterRalph || o.EndTime == nil {
		t.Fatalf("%+v", o)
	}
	within := func(stamps ...string) {
		t.Helper()
		for _, stamp := range stamps {
			if at, err := time.Parse("2006-01-02T15:04:05Z", stamp); err != nil || at.Before(began) || at.After(time.Now()) {
				t.Errorf("%q is no time of the workflow: %v", stamp, err)
			}
		}
	}
	within(o.StartTime, *o.EndTime, *s.Supervisor.LastCheck)

	if n := len(s.CompletedTasks); n != len(works) || len(s.PendingTasks)+len(s.ActiveAgents) != 0 {
		t.Fatalf("%d tasks are completed, left are %v %v", n, s.PendingTasks, s.ActiveAgents)
	}
	for i, w := range works {
		d := s.CompletedTasks[i]
		commit := h.sh("git log --format=%H -F --grep '(task " + w.id + ")' main")
		files := strings.Fields(h.sh("git show --format= --name-only " + commit))
		if d.Task != w.id || d.Name != w.name || d.Iterations != count("code "+w.id) || d.Iterations != w.wrong+1 || d.Cost != dollars(w.id) || !slices.Equal(d.Files, files) || !slices.Equal(files, []string{w.file}) || !maps.Equal(d.Criteria, w.criteria) {
			t.Errorf("%+v; git: %q; the model: %s", d, files, dollars(w.id))
		}
		if !regexp.MustCompile(`^\d+m \d+s$`).MatchString(d.TimeElapsed) {
			t.Errorf("task %s took %q", d.Task, d.TimeElapsed)
		}
		within(d.Completed)
	}
	b := s.SafetyBounds
	if b.Iterations != 4 || b.MaxCost != "$5" || b.MaxTime != "1h" || b.CostSoFar != dollars("") || !strings.HasPrefix(b.Elapsed, "0h ") || !slices.Equal(b.Warnings, []string{"Iterations of task 1.1 at 75% of limit"}) {
		t.Errorf("%+v; the model: %s", b, dollars(""))
	}
	v := s.Supervisor
	if !v.Enabled || v.ChecksPerformed != count("supervise") || v.ChecksPerformed != 13 || v.ConflictsDetected != 2 || v.AutoFixesApplied != 1 || v.RePlansTriggered != 1 || len(v.Interventions) != 2 {
		t.Fatalf("%+v", v)
	}
	repaired := h.sh("git log --abbrev=10 --format=%h --grep 'lacks a comment' main")
	for i, want := range []string{"post_task 3.1 pattern low auto_fix fixed in " + repaired, "pre_task 3.2 architecture high re_plan re-planned: 3.2"} {
		x := v.Interventions[i]
		if got := strings.Join([]string{x.CheckType, x.Task, x.ConflictType, x.Severity, x.Action, x.Resolution}, " "); got != want {
			t.Errorf("intervention: %s, not %s", got, want)
		}
		within(x.Timestamp)
	}
	if text := api.Await("code 3.2", 0).Text(); !strings.Contains(text, "Check index.js.") {
		t.Error("the task was not told its new plan")
	}
	if text := api.Await("code 1.1 4", 0).Text(); !strings.Contains(text, "count.js took try 3") {
		t.Error("an iteration was not told what was learned before")
	}
	taught(t, s, string(file("learnings.jsonl")))

	for i, name := range []string{"Foundation", "Side by side", "The end"} {
		m := s.Milestones[i]
		issue := h.sh("cat " + m.IssueURL)
		if m.Phase != i || m.Name != name || !strings.Contains(issue, "labels: milestone") || !strings.Contains(issue, fmt.Sprintf("phase %d: %s\n", i+1, name)) {
			t.Errorf("%+v\n%s", m, issue)
		}
		within(m.Completed)
	}
	before := []string{"1.1", "phase-1", "2.1", "2.2", "2.3", "phase-2", "3.1", "3.2", "phase-3"}
	for i, c := range s.Checkpoints {
		snapshot := read[account](t, file(c.StateSnapshot))
		if c.Task != before[i] || fmt.Sprintf("checkpoint-%03d.json", i+1) != c.StateSnapshot || len(snapshot.Checkpoints) != i+1 || h.sh("git cat-file -t "+c.GitSHA) != "commit" {
			t.Errorf("%d: %+v", i, c)
		}
		within(c.Timestamp)
	}
	if !bytes.Equal(file("checkpoint.json"), file("checkpoint-009.json")) {
		t.Error("checkpoint.json is not the newest")
	}
	for name, want := range map[string]int{
		"task_done": len(s.CompletedTasks), "iteration_done": count("code"), "supervisor_checked": v.ChecksPerformed, "intervened": len(v.Interventions),
		"milestone_reached": len(s.Milestones), "checkpoint": len(s.Checkpoints), "agent_ended": len(runs),
	} {
		if got := strings.Count(string(file("state/events.jsonl")), `"name":"`+name+`"`); got != want || got == 0 {
			t.Errorf("the journal has %d rows %s, the state %d", got, name, want)
		}
	}
	log := h.sh("git -C " + h.remote + " log --reverse --format=%s main; git rev-parse main | grep -qx $(git -C " + h.remote + " rev-parse main); node all.js; git worktree list | wc -l; git branch --list 'warp/*'")
	if want := `chore: begin
chore: warp
feat: Count words (task 1.1)
feat: Reverse words (task 2.1)
feat: Join words (task 2.2)
feat: Reverse texts (task 2.3)
feat: Put it together (task 3.1)
fix: index.js lacks a comment
feat: Check it all (task 3.2)
refactor: Say what it is
1`; log != want {
		t.Errorf("merged:\n%s", log)
	}
}

// sideBySide looks at a workflow while two of its tasks are at work.
func sideBySide(t *testing.T, s account, claims string) {
	t.Helper()
	var at []string
	for _, a := range s.ActiveAgents {
		if a.Started == "" {
			t.Errorf("%+v", a)
		}
		at = append(at, fmt.Sprint(a.Type, " ", a.Task, " ", a.Iteration, " ", a.Status))
	}
	slices.Sort(at)
	if !slices.Equal(at, []string{"task-executor 2.1 1 in_progress", "task-executor 2.2 1 in_progress"}) {
		t.Errorf("at work: %q", at)
	}
	o := s.Orchestrator
	if o.Status != "executing" || o.CurrentPhase != 1 || o.EndTime != nil || o.RalphIteration != 1 || len(s.CompletedTasks) != 1 || len(s.PendingTasks) != 5 {
		t.Errorf("%+v, %d done, %v", o, len(s.CompletedTasks), s.PendingTasks)
	}
	if p := s.PendingTasks[4]; p.Task != "3.2" || p.Name != "Check it all" || p.Phase != 2 {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(claims, "reverse.js") || !strings.Contains(claims, "join.js") || strings.Contains(claims, "count.js") {
		t.Errorf("claimed: %s", claims)
	}
}

// taught looks at what was learned: the state and learnings.jsonl say the same.
func taught(t *testing.T, s account, lines string) {
	t.Helper()
	var all []lesson
	for line := range strings.Lines(lines) {
		all = append(all, read[lesson](t, []byte(line)))
	}
	if !slices.Equal(all, s.Learnings) {
		t.Errorf("learnings.jsonl: %+v\nthe state: %+v", all, s.Learnings)
	}
	types := map[string]int{}
	for _, l := range all {
		types[l.Type]++
		if l.Task == "" || l.Iteration == 0 || l.Lesson == "" || l.Pattern == "" || l.Context == "" || l.Timestamp == "" {
			t.Errorf("%+v", l)
		}
	}
	if want := (map[string]int{"pattern": 6, "insight": 3, "antipattern": 3}); !maps.Equal(types, want) {
		t.Errorf("learned: %v", types)
	}
}

func read[T any](t *testing.T, text []byte) (v T) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Errorf("%v in %s", err, text)
	}
	return v
}
