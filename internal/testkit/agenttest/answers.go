package agenttest

import (
	"strings"
	"time"

	spending "warp/internal/core/budget"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

func success(h *harness) {
	r := h.run(h.task())
	h.want(r, agent.Done)
	if !strings.Contains(r.Text, Words) || h.seen["text"] == 0 {
		h.Errorf("its words are %q, events %v", r.Text, h.seen)
	}
	if len(h.waited) > 0 {
		h.Errorf("waited for %v", h.waited)
	}
}

func refusal(h *harness) {
	r := h.run(h.task())
	h.want(r, agent.Refused)
	if r.Why == "" || !r.Spends() {
		h.Errorf("why: %q, spends: %v", r.Why, r.Spends())
	}
}

func toolUse(h *harness) {
	r := h.run(h.task())
	h.want(r, agent.Done)
	if !h.made() {
		h.Errorf("the tool did nothing; denied: %v", r.Denials)
	}
	if h.seen["tool"] == 0 || !strings.Contains(r.Text, Words) {
		h.Errorf("events %v, words %q", h.seen, r.Text)
	}
}

func readOnly(h *harness) {
	t := h.task()
	t.ReadOnly = true
	r := h.run(t)
	h.want(r, agent.Done)
	if h.made() {
		h.Error("it has written a file")
	}
}

func structured(h *harness) {
	t := h.task()
	t.Role = agent.Judge
	r := h.run(t)
	h.want(r, agent.Done)
	if r.JSON == nil || r.JSON.Get("stop") == nil || r.JSON.Get("stop").Raw != "true" || r.Invalid != "" {
		h.Errorf("the result is %v (%s); words %q", r.JSON, r.Invalid, r.Text)
	}
}

// invalid is about what counts, whatever the agent's end was: there is no answer.
func invalid(h *harness) {
	t := h.task()
	t.Role = agent.Judge
	r := h.run(t)
	if r.JSON != nil || r.Invalid == "" {
		h.Errorf("a result without a verdict was taken: %v, ended with %q", r.JSON, r.End)
	}
}

func quoted(h *harness) {
	r := h.run(h.task())
	h.want(r, agent.Done)
	if !strings.Contains(r.Text, "hit your usage limit") {
		h.Errorf("its words are %q", r.Text)
	}
	if len(h.waited) > 0 || h.seen["limit"] > 0 {
		h.Errorf("it was taken for a limit: %v, %v", h.waited, h.seen)
	}
}

func resume(h *harness) {
	first := h.run(h.task())
	h.want(first, agent.Done)
	if first.Session == "" {
		h.Fatal("it told no session")
	}
	t := h.task()
	t.Session, t.Prompt = first.Session, "Go on."
	r := h.run(t)
	h.want(r, agent.Done)
	if r.Session != first.Session || !h.scene.Remembers() {
		h.Errorf("session %q after %q, remembers: %v", r.Session, first.Session, h.scene.Remembers())
	}
	// What the first run had cost is not counted again.
	if r.Usage.Tokens() > first.Usage.Tokens() || r.Usage.MicroUSD > first.Usage.MicroUSD {
		h.Errorf("the second run cost %+v, the first %+v", r.Usage, first.Usage)
	}
}

// incomplete is about a step: what an answer lacks is asked for in the same conversation where the
// agent has one.
func incomplete(h *harness) {
	t, rows := h.task(), []step.Ran{}
	t.Role, t.ReadOnly, t.Criteria = agent.Verify, true, []string{"AC-01", "AC-02"}
	taker := step.Taker{Agents: func(string) (step.Agents, error) { return h.runner, nil }, Record: func(r step.Ran) error { rows = append(rows, r); return nil },
		Bounds: &step.Bounds{Spent: func(time.Time) spending.Amount { return spending.Amount{} }}, Remark: h.Logf, Redact: func(s string) string { return s }, Now: time.Now}
	a, err := taker.Run(h.Context(), step.Step{Task: t})
	if err != nil {
		h.Fatal(err)
	}
	if want := `{"criteria":[{"id":"AC-01","met":true,"reason":"seen"},{"id":"AC-02","met":false,"reason":"not seen"}],"unasked":[]}`; string(a.Result) != want || a.Unread != "" || len(rows) != 2 {
		h.Fatalf("after %d runs the answer is %s (%s), want %s", len(rows), a.Result, a.Unread, want)
	}
	if first := rows[0].Result.Session; first != "" && rows[1].Result.Session != first {
		h.Errorf("session %q after %q", rows[1].Result.Session, first)
	}
}
