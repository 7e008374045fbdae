// Package standin is what the demo agent plays in tests alone: loops and pipelines,
// tasks of workflows, conflicts and findings that a test asks for, and Claude Code
// (Main). The programs warp-net and claude below it are those of tests: the one is
// warp-net with all of this, the other stands in for Claude Code.
package standin

import (
	"context"
	"strings"

	"warp/internal/adapter/agent/demo"
	"warp/internal/engine/agent"
)

// player is a run of the agent, with what its prompt says of a workflow.
type player struct {
	*demo.Run
	scripts []script
	tasks   []brief  // that the prompt is about
	ids     []string // of the criteria
}

// The answers, as their roles want them.
type (
	plan struct {
		Approach string     `json:"approach"`
		Chunks   [][]string `json:"chunks"`
	}
	report struct {
		Summary   string   `json:"summary"`
		Learnings []string `json:"learnings,omitempty"`
	}
	verdict struct {
		ID     string `json:"id"`
		Met    bool   `json:"met"`
		Reason string `json:"reason"`
	}
	verdicts struct {
		Criteria []verdict `json:"criteria"`
	}
	judgement struct {
		Stop       bool    `json:"stop"`
		Reason     string  `json:"reason"`
		Confidence float64 `json:"confidence"`
	}
	chosen struct {
		Choice string `json:"choice"`
		Reason string `json:"reason"`
	}
	conflicts struct {
		Conflicts []conflict `json:"conflicts"`
	}
	conflict struct {
		Type       string `json:"type"`
		Severity   string `json:"severity"`
		Action     string `json:"action,omitempty"`
		Resolution string `json:"resolution"`
	}
	findings struct {
		Findings []finding `json:"findings"`
	}
	finding struct {
		Title    string   `json:"title"`
		Priority string   `json:"priority"`
		Files    []string `json:"files"`
	}
)

// asShipped has a test run the demo agent that people have, which plays less.
const asShipped = "as=shipped"

// Answer is demo.More: it answers what the roles of a drive do not need.
func Answer(ctx context.Context, run *demo.Run) (text string, result any, answered bool, err error) {
	if strings.Contains(run.Switches, asShipped) {
		return "", nil, false, nil
	}
	a := &player{Run: run, tasks: briefs(run.Prompt), ids: run.Criteria}
	if a.scripts, err = parseScripts(run.Switches); err != nil {
		return "", nil, false, err
	}
	if len(a.tasks) > 0 && run.World.Getenv("WARP_CRITERIA") == "" {
		a.ids = nil
		for _, b := range a.tasks {
			a.ids = append(a.ids, b.keys...)
		}
	}
	switch {
	case a.Role == agent.Iterate:
		text, result, err = a.iterate(ctx)
	case a.Role == agent.Judge:
		said, stop := a.decide()
		text, result = said, judgement{stop, said, 1}
	case a.Role == agent.Choose:
		text, result, err = a.choose()
	case a.Role == agent.Supervise:
		text, result = "conflicts", conflicts{a.conflicts()}
	case a.Role == agent.Scan:
		text, result = "findings", findings{a.findings()}
	case a.Role == agent.Plan && strings.Contains("\n"+a.Prompt, "\n"+replanMark):
		text, result, err = a.replan()
	case a.Role == agent.Plan || len(a.tasks) == 0:
		return "", nil, false, a.answerPull(ctx)
	case a.Role == agent.Verify:
		text, result, err = a.look(ctx)
	default:
		text, result, err = a.task(ctx, a.tasks[0])
	}
	return text, result, true, err
}
