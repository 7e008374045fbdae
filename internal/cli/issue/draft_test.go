package issue

import (
	"strings"
	"testing"

	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
	"warp/internal/testkit/agenttest"
)

func TestDraftPrompt(t *testing.T) {
	p := draftPrompt("CSV, please")
	agenttest.CheckPrompt(t, agent.Plan, p)
	_, example, _ := strings.Cut(p, "Example:\n")
	example, _, _ = strings.Cut(example, "\n")
	if _, err := readDraft(answer(t, example)); err != nil {
		t.Errorf("the example is no draft: %v", err)
	}
}

func answer(t *testing.T, text string) agent.Result {
	t.Helper()
	v, err := lossless.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return agent.Result{Agent: "a", End: agent.Done, JSON: v}
}

// What an agent answers becomes an issue of bounded form, never an approved one.
func TestReadDraft(t *testing.T) {
	n, err := readDraft(answer(t, `{"title":"One\nline", "description":" Why. ", "labels":["approved"], "criteria":["a\n- [x] b", "- [ ] c", "", 7]}`))
	if err != nil {
		t.Fatal(err)
	}
	if n.Title != "One line" || n.Body != "Why.\n\n## Acceptance criteria\n\n- [ ] a - [x] b\n- [ ] c\n" || strings.Join(n.Labels, ",") != "req,draft" {
		t.Errorf("%+v", n)
	}
	for _, bad := range []string{`{}`, `{"title":"T"}`, `{"title":"T","criteria":[]}`, `{"title":" ","criteria":["a"]}`, `{"title":"T","criteria":"a"}`} {
		if _, err := readDraft(answer(t, bad)); err == nil || !strings.Contains(err.Error(), "nothing was filed") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if _, err := readDraft(agent.Result{Agent: "a", End: agent.NoLogin, Why: "not logged in"}); err == nil || !strings.Contains(err.Error(), "not logged in") {
		t.Errorf("%v", err)
	}
}
