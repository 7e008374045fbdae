package workflow

import (
	"flag"
	"testing"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/supervise"
	"warp/internal/engine/agent"
	"warp/internal/engine/prompt"
	"warp/internal/testkit/agenttest"
)

var update = flag.Bool("update", false, "write the golden files of prompts")

func TestPromptsHaveTheirParts(t *testing.T) {
	task := taskdoc.Task{ID: "1.1", Name: "First", Description: "Do it.", Files: []string{"a.txt"}, Criteria: []taskdoc.Criterion{{Key: "there", Text: "There"}}}
	plan := &taskdoc.Document{Title: "T", Goal: "G", Context: "C"}
	conflict := supervise.Conflict{Type: supervise.Architecture, Severity: supervise.High, Detail: "d", Files: []string{"a.txt"}}
	all := textValues{"Plan": plan, "Task": task, "Wanted": "Do it.", "Lessons": "- l", "Why": "w", "Round": 2, "Diff": "+1", "Cut": true, "Outline": "o",
		"When": workflowstate.PostTask, "Conflict": conflict, "Conflicts": []supervise.Conflict{conflict}, "Tasks": []taskdoc.Task{task}, "Scanned": task, "Most": 5,
		"Finding": finding{Title: "f", Files: []string{"a.txt"}}}
	with := func(keys ...string) textValues {
		v := textValues{"Task": task, "Tests": "go test ./...", "Took": "45 s", "Example": "there"}
		for _, k := range keys {
			v[k] = all[k]
		}
		return v
	}
	said := with("Diff", "Cut", "Wanted")
	said["Tests"] = `warp ran this on exactly this work, and it passed: "go test ./...". Do not run it again.`
	for _, p := range []struct {
		name, template string
		role           agent.Role
		values         textValues
	}{
		{"implement", "code", agent.Code, with("Plan", "Wanted", "Lessons", "Why", "Round")},
		{"verify", "verify", agent.Verify, said},
		{"supervise", "supervise", agent.Supervise, with("Plan", "Wanted", "Outline", "When", "Why", "Diff")},
		{"fix", "code", agent.Fix, with("Conflict")},
		{"re-plan", "re-plan", agent.Plan, with("Plan", "Conflicts", "Tasks")},
		{"scan", "scan", agent.Scan, with("Scanned", "Most", "Diff", "Cut")},
		{"improve", "code", agent.Fix, with("Finding")},
	} {
		text := prompt.Render(p.template, p.values)
		agenttest.CheckPrompt(t, p.role, text)
		agenttest.CheckGolden(t, "workflow-"+p.name, text, 0, *update)
	}
}
