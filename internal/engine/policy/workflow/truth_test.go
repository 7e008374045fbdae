package workflow

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
)

// seven is a document of three phases and seven tasks with dependencies, of which
// 2.1 and 2.2 may run side by side.
const seven = "# Seven files\n\n## Success criteria\n- [ ] All of it: `test -s c/seven.txt`\n- [ ] It reads well\n\n## Safety bounds\n- max_iterations_per_task: 5\n- max_cost: $2\n- max_time: 1h 30m\n\n" +
	"### Phase 1: One\n#### Task 1.1: First\nFiles: a/one.txt\n- [ ] There: `test -s a/one.txt`\n" +
	"#### Task 1.2: Second\nDepends on: 1.1\nFiles: a/two.txt\n- [ ] Second time: `grep -q 2$ a/two.txt`\n" +
	"### Phase 2: Two\n#### Task 2.1: Third\nFiles: b/three.txt\n- [ ] There: `test -s b/three.txt`\n" +
	"#### Task 2.2: Fourth\nFiles: b/four.txt\n- [ ] There: `test -s b/four.txt`\n- [ ] It reads well\n" +
	"#### Task 2.3: Fifth\nDepends on: 2.1, 2.2\nFiles: b/five.txt, b/more.txt\n- [ ] There: `test -s b/five.txt`\n" +
	"### Phase 3: Three\n#### Task 3.1: Sixth\nFiles: c/six.txt\n- [ ] There: `test -s c/six.txt`\n" +
	"#### Task 3.2: Seventh\nDepends on: 3.1\nFiles: c/seven.txt\n- [ ] There: `test -s c/seven.txt`\n" +
	"\n## Outer loop\n- max_iterations: 1\n\n## Verification\n```sh\ntest -d a\n```\n"

// row is what the event journal says.
type row struct {
	At        time.Time
	Name, Doc string
}

func (p *scene) journal() (rows []row) {
	for line := range strings.Lines(p.read(".claude/state/events.jsonl")) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			p.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// times are when the journal says that something happened.
func times(rows []row, name string) (list []time.Time) {
	for _, r := range rows {
		if r.Name == name {
			list = append(list, r.At)
		}
	}
	return list
}

func stamps(list []time.Time) (out []string) {
	for _, t := range list {
		out = append(out, t.Format(time.RFC3339))
	}
	return out
}

// Every field of agent-state.json is what git and the event journal say, found out
// without the engine.
func TestEveryFieldIsTrue(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, seven, func(t agent.Task) any {
		switch {
		case checks(t, "3.1", workflowstate.PostTask):
			return conflict("pattern", "low")
		case t.Role == agent.Scan:
			return result{"findings": []result{{"title": "Say so", "priority": "S2", "files": []string{"said.txt"}}}}
		case t.Role == agent.Fix:
			if err := put(filepath.Join(t.Dir, map[bool]string{true: "said.txt", false: "c/six.txt"}[t.Issue == workflowstate.OuterTask]), "fixed\n"); err != nil {
				p.Error(err)
			}
		}
		return nil
	})
	p.options.Parallel = 2
	base := p.git("rev-parse", "main")
	p.completed(p.run())
	var have map[string]any
	if err := json.Unmarshal([]byte(p.read(".claude/agent-state.json")), &have); err != nil {
		t.Fatal(err)
	}
	delete(have, "journal") // the store's own
	delete(have, "steps")
	if plan, _ := have["plan"].(map[string]any); plan["title"] != "Seven files" {
		t.Error("the plan is not in the state:", plan)
	}
	delete(have, "plan")
	p.wants(have["work_tree"], homeOf(have["id"].(string)))
	delete(have, "work_tree")
	p.wants(p.git("cat-file", "blob", have["task_doc_blob"].(string)), strings.TrimSpace(seven))
	delete(have, "task_doc_blob")
	p.wants(have["merge_into"], "main")
	delete(have, "merge_into")
	text, err := json.Marshal(p.truth(base))
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	p.wants(p.git("rev-parse", "main^{tree}"), p.git("rev-parse", "HEAD^{tree}"))
	p.wants(p.git("status", "--porcelain"), "")
	for _, i := range p.issues {
		if !strings.HasPrefix(i.Title, "Milestone: Seven files, phase ") || strings.Count(i.Body, "- [x] ") < 2 {
			t.Errorf("%+v", i)
		}
	}
}

// truth is the state as it must be.
func (p *scene) truth(base string) map[string]any {
	type object = map[string]any
	rows := p.journal()
	names := map[string]string{"1.1": "First", "1.2": "Second", "2.1": "Third", "2.2": "Fourth", "2.3": "Fifth", "3.1": "Sixth", "3.2": "Seventh"}
	criteria := map[string]object{"1.2": {"second_time": true}, "2.2": {"there": true, "it_reads_well": true}}
	runs, iterations := map[string]int{}, map[string]int{}
	for _, a := range p.asked {
		runs[a.Issue]++
		if a.Role == agent.Code {
			iterations[a.Issue]++
		}
	}
	dollars := func(n int) string { return fmt.Sprintf("$0.%02d", n) } // a cent a run
	ends := times(rows, "task_done")
	var completed, checkpoints, milestones []object
	commits := strings.Fields(p.git("log", "--reverse", "--format=%H", base+"..main"))
	made := stamps(times(rows, "checkpoint"))
	point := func(phase int, task, sha string) {
		n := len(checkpoints)
		checkpoints = append(checkpoints, object{"timestamp": made[n], "phase": phase, "task": task, "git_sha": sha, "state_snapshot": fmt.Sprintf("checkpoint-%03d.json", n+1)})
	}
	at := base
	for _, c := range commits {
		_, id, is := strings.Cut(p.git("show", "-s", "--format=%B", c), "Warp-Task: ")
		if !is {
			at = c
			continue
		}
		id = strings.Split(id, "/")[1]
		phase, number := int(id[0]-'1'), int(id[2]-'0')
		took := ends[len(completed)].Sub(times(rows, "claimed "+id)[0])
		met := criteria[id]
		if met == nil {
			met = object{"there": true}
		}
		if id != "2.2" { // which has the same checkpoint as the task beside it
			point(phase, id, at)
		}
		if id == "2.1" {
			point(phase, "2.2", at)
		}
		d := object{"task": id, "name": names[id], "completed": stamps(ends)[len(completed)], "iterations": iterations[id], "time_elapsed": fmt.Sprintf("%dm %ds", int(took.Minutes()), int(took.Seconds())%60),
			"cost": dollars(runs[id]), "cost_micro_usd": runs[id] * stepCost, "elapsed_ms": took.Milliseconds(), "success_criteria_met": met, "number": number, "commit": c,
			"files_modified": strings.Fields(p.git("show", "--name-only", "--format=", c))}
		if phase > 0 {
			d["phase"] = phase
		}
		completed = append(completed, d)
		if at = c; slices.Contains([]string{"1.2", "2.3", "3.2"}, id) {
			point(phase, fmt.Sprint("phase-", phase+1), at)
			milestones = append(milestones, object{"phase": phase, "name": []string{"One", "Two", "Three"}[phase], "completed": stamps(times(rows, "milestone_reached"))[phase], "issue_url": fmt.Sprint("https://example.invalid/", phase+1)})
		}
	}
	var learnings []object
	for line := range strings.Lines(p.read(".claude/learnings.jsonl")) {
		var l object
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			p.Fatal(err)
		}
		learnings = append(learnings, l)
	}
	p.wants(len(learnings), 9) // one of each iteration, and one of what was wrong with the first of 1.2
	fix := p.git("log", "--format=%H", "--grep=Warp-Fix: .*/3.1/", "main")
	whole := rows[len(rows)-1].At.Sub(rows[0].At)
	checked := stamps(times(rows, "supervisor_checked"))
	return object{
		"orchestrator": object{"status": "completed", "task_doc": p.document(), "current_phase": 2, "total_phases": 3, "current_task": "2/2", "ralph_iteration": 1, "outer_ralph": false,
			"start_time": stamps(times(rows, "began"))[0], "end_time": stamps(times(rows, "outer_done"))[0]},
		"supervisor": object{"enabled": true, "checks_performed": len(checked), "conflicts_detected": 1, "auto_fixes_applied": 1, "re_plans_triggered": 0, "last_check": checked[len(checked)-1],
			"interventions": []object{{"timestamp": stamps(times(rows, "intervened"))[0], "check_type": "post_task", "task": "3.1", "conflict_type": "pattern", "severity": "low", "action": "auto_fix",
				"resolution": "fixed in " + fix[:10] + ": the pattern is wrong", "round": 1, "detail": "the pattern is wrong"}}},
		"active_agents": []object{}, "pending_tasks": []object{}, "completed_tasks": completed, "learnings": learnings, "milestones": milestones, "checkpoints": checkpoints,
		"safety_bounds": object{"max_iterations_per_task": 5, "max_cost": "$2", "max_time": "1h 30m", "cost_so_far": dollars(len(p.asked)), "cost_micro_usd": len(p.asked) * stepCost, "warnings": []string{},
			"elapsed_time": fmt.Sprintf("0h %dm %ds", int(whole.Minutes()), int(whole.Seconds())%60), "elapsed_ms": whole.Milliseconds()},
		"id": "20260115T120000Z", "level": 3, "branch": "workflow/seven-files", "base_sha": base,
	}
}
