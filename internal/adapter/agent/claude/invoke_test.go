package claude

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/engine/agent"
)

func TestInvoke(t *testing.T) {
	base := []string{"claude", "-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"}
	for name, c := range map[string]struct {
		task agent.Task
		want []string
	}{
		"little":    {agent.Task{Level: 2}, []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write"}},
		"no level":  {agent.Task{}, []string{"--permission-mode", "acceptEdits"}},
		"read only": {agent.Task{Level: 3, ReadOnly: true}, []string{"--permission-mode", "dontAsk", "--tools", "Read,Grep,Glob"}},
		"boxed":     {agent.Task{Level: 2, Work: agent.Work{Boxed: true}}, []string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write", "--settings", noSandbox}},
		"much": {agent.Task{Level: 3, Session: "id", Model: "opus", Effort: "standard", MaxTurns: 7, Budget: agent.Budget{MicroUSD: 1_250_001}},
			[]string{"--permission-mode", "acceptEdits", "--allowedTools", "Bash,Edit,Write", "--resume", "id", "--model", "opus", "--effort", "medium", "--max-turns", "7", "--max-budget-usd", "1.250001"}},
	} {
		c.task.Prompt = "a secret prompt"
		got, err := New(Options{}).Invoke(c.task, "", nil)
		if err != nil || !slices.Equal(got.Argv, append(slices.Clone(base), c.want...)) {
			t.Errorf("%s: %q, %v", name, got.Argv, err)
		}
		if got.Stdin != c.task.Prompt || strings.Contains(strings.Join(got.Argv, " "), "secret") {
			t.Errorf("%s: the prompt is not on stdin alone: %+v", name, got)
		}
	}
	got, _ := New(Options{Path: "/opt/claude"}).Invoke(agent.Task{Prompt: "x"}, "", []byte(`{"type":"object"}`))
	if got.Argv[0] != "/opt/claude" || !slices.Contains(got.Argv, `{"type":"object"}`) {
		t.Errorf("%q", got.Argv)
	}
	if _, err := New(Options{}).Invoke(agent.Task{Prompt: " \n"}, "", nil); err == nil {
		t.Error("an empty prompt was taken")
	}
}
