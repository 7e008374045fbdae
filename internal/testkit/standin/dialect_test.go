package standin

import (
	"strings"
	"testing"
	"time"

	"warp/internal/adapter/agent/claude"
	"warp/internal/engine/agent"
)

// Where it plays Claude Code, what reads Claude Code's stream must find in it what
// it finds in the agent's own.
func TestItSpeaksAsClaudeCodeDoes(t *testing.T) {
	for _, c := range []struct {
		misbehave string
		role      agent.Role
		end       agent.End
		json      string
	}{
		{"", agent.Code, agent.Done, `{"summary":"2 criteria are done"}`},
		{"", agent.Plan, agent.Done, `{"approach":"write one small file for each criterion","chunks":[["AC-01","AC-02"]]}`},
		{"liar", agent.Verify, agent.Done, `{"criteria":[{"id":"AC-01","met":true,"reason":"it is done"},{"id":"AC-02","met":true,"reason":"it is done"}]}`},
		{"quotes", agent.Code, agent.Done, `{"summary":"2 criteria are done"}`},
		{"limit", agent.Code, agent.Limited, ""},
		{"garbage", agent.Code, agent.Unusable, ""},
		{"lair", agent.Code, agent.Crashed, ""},
	} {
		p := claude.New(claude.Options{}).Parser(agent.Task{})
		exit, out := playClaude(t, scratch(t), c.role, c.misbehave, "-p", "--output-format", "stream-json")
		var events []agent.Event
		for l := range strings.Lines(out) {
			events = append(events, p.Line([]byte(strings.TrimSuffix(l, "\n")))...)
		}
		r := p.End(exit, "")
		if r.End != c.end || compact(r.JSON) != c.json {
			t.Errorf("%s as %s: %s (%s) %s\n%s", c.role, c.misbehave, r.End, r.Why, compact(r.JSON), out)
		}
		if c.end == agent.Done && (r.Session == "" || r.Text == "" || !r.Usage.Priced || r.Usage.MicroUSD == 0 || r.Usage.Model != claudeModel || len(events) < 3) {
			t.Errorf("%+v", r)
		}
		if c.end == agent.Limited && !r.Reset.After(time.Now()) {
			t.Errorf("it ends at %s", r.Reset)
		}
	}
}

// The cost of too much thought is told while there is time to stop it.
func TestAsClaudeCodeItTellsTokensWhileItRuns(t *testing.T) {
	p := claude.New(claude.Options{}).Parser(agent.Task{})
	_, out := playClaude(t, scratch(t), agent.Code, "overspend", "-p")
	most, last := int64(0), int64(0)
	for l := range strings.Lines(out) {
		for _, e := range p.Line([]byte(l)) {
			if e.Usage != nil && e.Kind != "result" {
				last = e.Usage.Tokens()
				most = max(most, last)
			}
		}
	}
	if most < 10_000_000 || last < most {
		t.Errorf("%d tokens at most, %d at the end", most, last)
	}
}

func TestAsClaudeCodeItTakesItsArguments(t *testing.T) {
	if exit, out := playClaude(t, t.TempDir(), agent.Code, "", "--version"); exit != 0 || out != claudeVersion+"\n" {
		t.Errorf("%d: %s", exit, out)
	}
	if exit, out := playClaude(t, t.TempDir(), agent.Code, "", "auth", "status"); exit != 0 || !strings.Contains(out, `"loggedIn":true`) {
		t.Errorf("%d: %s", exit, out)
	}
	dir := scratch(t)
	if _, out := playClaude(t, dir, agent.Code, "", "-p", "--tools", "Read,Grep,Glob", "--resume", "s7"); get(dir, "demo_ac_01.go") != "" || !strings.Contains(out, `"session_id":"s7"`) {
		t.Error(out)
	}
	if _, out := playClaude(t, dir, agent.Code, "", "-p", "--max-turns", "1"); get(dir, "demo_ac_02.go") != "" || !strings.Contains(out, "error_max_turns") {
		t.Error(out)
	}
}
