package workflow

import (
	"testing"

	"warp/internal/core/taskdoc"
	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/supervise"
	"warp/internal/engine/agent"
	"warp/internal/engine/prompt"
	"warp/internal/testkit/agenttest"
)

func TestPromptsHaveTheirParts(t *testing.T) {
	task := taskdoc.Task{ID: "1.1", Name: "First", Description: "Do it.", Files: []string{"a.txt"}, Criteria: []taskdoc.Criterion{{Key: "there", Text: "There"}}}
	plan := &taskdoc.Document{Title: "T", Goal: "G", Context: "C"}
	conflict := supervise.Conflict{Type: supervise.Architecture, Severity: supervise.High, Detail: "d", Files: []string{"a.txt"}}
	all := textValues{"Plan": plan, "Task": task, "Wanted": "Do it.", "Lessons": "- l", "Why": "w", "Round": 2, "Diff": "+1", "Cut": true, "Outline": "o",
		"When": workflowstate.PostTask, "Conflict": conflict, "Conflicts": []supervise.Conflict{conflict}, "Tasks": []taskdoc.Task{task}, "Base": "abc", "Most": 5,
		"Finding": finding{Title: "f", Files: []string{"a.txt"}}}
	for name, role := range map[string]agent.Role{"implement": agent.Code, "verify": agent.Verify, "supervise": agent.Supervise, "fix": agent.Fix,
		"re-plan": agent.Plan, "scan": agent.Scan, "improve": agent.Fix} {
		agenttest.CheckPrompt(t, role, prompt.Render("workflow/"+name, all))
	}
}
