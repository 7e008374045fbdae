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
// the model itself say. The sample of make test is short; WARP_MATRIX has the long one.
func TestClaudeCodeWorksThroughAWorkflow(t *testing.T) {
	t.Parallel()
	p := shortPlot()
	if wholeMatrix() {
		p = longPlot()
	}
	h := drives(t, issueBody, withInit)
	h.write("../words.md", p.text())
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
	api := messages.ServePicked(t, workflowRole, crew(h.root, p, func() {
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
	sideBySide(t, p, during, claims)

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
	if o.Status != "completed" || o.TaskDoc != filepath.Join(filepath.Dir(h.root), "words.md") || o.CurrentPhase != len(p.phases)-1 || o.TotalPhases != len(p.phases) || o.CurrentTask != "2/2" || o.OuterRalph || o.EndTime == nil {
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

	if n := len(s.CompletedTasks); n != len(p.works) || len(s.PendingTasks)+len(s.ActiveAgents) != 0 {
		t.Fatalf("%d tasks are completed, left are %v %v", n, s.PendingTasks, s.ActiveAgents)
	}
	for i, w := range p.works {
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
	if b.Iterations != 4 || b.MaxCost != "$5" || b.MaxTime != "1h" || b.CostSoFar != dollars("") || !strings.HasPrefix(b.Elapsed, "0h ") || !slices.Equal(b.Warnings, p.warnings) {
		t.Errorf("%+v; the model: %s", b, dollars(""))
	}
	v := s.Supervisor
	if !v.Enabled || v.ChecksPerformed != count("supervise") || v.ChecksPerformed != p.checks || v.ConflictsDetected != len(p.objections) || v.AutoFixesApplied != 1 || v.RePlansTriggered != p.ended("re_plan") || len(v.Interventions) != len(p.objections) {
		t.Fatalf("%+v", v)
	}
	repaired := h.sh("git log --abbrev=10 --format=%h --grep 'lacks a comment' main")
	for _, x := range v.Interventions {
		o := p.objections[x.Task]
		if o.action == "auto_fix" {
			o.resolution += repaired + ": " + o.what
		}
		if want := (objection{x.CheckType, x.ConflictType, x.Severity, o.what, x.Action, x.Resolution}); o != want {
			t.Errorf("intervention of %s: %+v, not %+v", x.Task, want, o)
		}
		within(x.Timestamp)
	}
	if p.ended("re_plan") > 0 && !strings.Contains(api.Await("code 3.2", 0).Text(), "Check index.js.") {
		t.Error("the task was not told its new plan")
	}
	tries := p.works[0].wrong
	if text := api.Await(fmt.Sprint("code 1.1 ", tries+1), 0).Text(); !strings.Contains(text, fmt.Sprint("count.js took try ", tries)) {
		t.Error("an iteration was not told what was learned before")
	}
	taught(t, p, s, string(file("learnings.jsonl")))

	for i, name := range p.phases {
		m := s.Milestones[i]
		issue := h.sh("cat " + m.IssueURL)
		if m.Phase != i || m.Name != name || !strings.Contains(issue, "labels: milestone") || !strings.Contains(issue, fmt.Sprintf("phase %d: %s\n", i+1, name)) {
			t.Errorf("%+v\n%s", m, issue)
		}
		within(m.Completed)
	}
	for i, c := range s.Checkpoints {
		snapshot := read[account](t, file(c.StateSnapshot))
		if c.Task != p.before[i] || fmt.Sprintf("checkpoint-%03d.json", i+1) != c.StateSnapshot || len(snapshot.Checkpoints) != i+1 || h.sh("git cat-file -t "+c.GitSHA) != "commit" {
			t.Errorf("%d: %+v", i, c)
		}
		within(c.Timestamp)
	}
	if newest := fmt.Sprintf("checkpoint-%03d.json", len(p.before)); !bytes.Equal(file("checkpoint.json"), file(newest)) {
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
	log := h.sh("git -C " + h.remote + " log --reverse --format=%s main; git rev-parse main | grep -qx $(git -C " + h.remote + " rev-parse main); " + p.check + "; git worktree list | wc -l; git branch --list 'warp/*'")
	if want := "chore: begin\nchore: warp\n" + strings.Join(p.merged, "\n") + "\n1"; log != want {
		t.Errorf("merged:\n%s", log)
	}
}

// sideBySide looks at a workflow while two of its tasks are at work.
func sideBySide(t *testing.T, p plot, s account, claims string) {
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
	if o.Status != "executing" || o.CurrentPhase != 1 || o.EndTime != nil || o.RalphIteration != 1 || len(s.CompletedTasks) != 1 || len(s.PendingTasks) != len(p.works)-1 {
		t.Errorf("%+v, %d done, %v", o, len(s.CompletedTasks), s.PendingTasks)
	}
	end := p.works[len(p.works)-1]
	if last := s.PendingTasks[len(s.PendingTasks)-1]; last.Task != end.id || last.Name != end.name || last.Phase != len(p.phases)-1 {
		t.Errorf("%+v", last)
	}
	if !strings.Contains(claims, "reverse.js") || !strings.Contains(claims, "join.js") || strings.Contains(claims, "count.js") {
		t.Errorf("claimed: %s", claims)
	}
}

// taught looks at what was learned: the state and learnings.jsonl say the same.
func taught(t *testing.T, p plot, s account, lines string) {
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
	if want := (map[string]int{"pattern": len(p.works), "insight": p.wrong(), "antipattern": p.wrong()}); !maps.Equal(types, want) {
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
