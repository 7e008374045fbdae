package drive

import (
	"strings"
	"testing"

	"warp/internal/core/criteria"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/testkit/agenttest"
)

// However much there is to say, and however it grows when it is made visible.
func TestACodingPromptStaysSmall(t *testing.T) {
	long := strings.Repeat("\x1b[31mred ", 2000)
	issue := &subject{Issue: forge.Issue{Title: "T", Body: "the issue's own text"}, id: "1"}
	for _, p := range []codePrompt{
		{}, {attempt: 2, resumed: true}, {attempt: 3}, {attempt: 3, fault: &fault{text: "short"}},
	} {
		p.subject, p.chunk, p.index, p.total, p.tests, p.approach = issue, []drivestate.Criterion{{ID: "AC-01", Text: "one"}}, 1, 2, long, long
		if p.attempt > 0 && p.fault == nil {
			p.fault = &fault{by: long, text: "FAIL: TestOne\n" + long}
		}
		for range 4 {
			p.decisions = append(p.decisions, evidence.Decision{Question: long, Answer: long})
		}
		text := p.String()
		added := len(text) - len(criteriaText(p.chunk))
		if !p.resumed {
			added -= len(issueText(p.subject))
		}
		if added >= 4000 {
			t.Errorf("attempt %d: %d characters are added", p.attempt, added)
		}
		if p.fault != nil && p.attempt > 1 && !strings.Contains(text, "FAIL: TestOne") && !strings.Contains(text, "short") {
			t.Errorf("attempt %d: what is wrong is not told:\n%s", p.attempt, text)
		}
		if p.resumed == strings.Contains(text, "the issue's own text") {
			t.Errorf("attempt %d: the issue is told twice, or never", p.attempt)
		}
	}
}

func TestPromptsHaveTheirParts(t *testing.T) {
	issue := &subject{Issue: forge.Issue{Title: "T", Body: "b"}, id: "1"}
	chunk := []drivestate.Criterion{{ID: "AC-01", Text: "one"}}
	agenttest.CheckPrompt(t, agent.Plan, planPrompt(issue, []criteria.Criterion{{ID: "AC-01", Text: "one"}}, 3))
	for _, p := range []codePrompt{{}, {fault: &fault{by: "go test", text: "FAIL"}, attempt: 3}, {advice: "add seeds"}} {
		p.subject, p.chunk, p.index, p.total = issue, chunk, 1, 2
		agenttest.CheckPrompt(t, agent.Code, p.String())
	}
	agenttest.CheckPrompt(t, agent.Verify, verification{judged: chunk, diff: "+1", cut: true, ignored: []string{"a"}, changed: []string{"b"}}.prompt(issue))
	agenttest.CheckPrompt(t, agent.Fix, conflictPrompt(issue, "main", []string{"a.go"}))
}
