package agentcmd

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
)

func TestExitCodes(t *testing.T) {
	answer := lossless.NewObject()
	for _, c := range []struct {
		end    agent.End
		json   *lossless.Value
		strict bool
		want   int
	}{
		{agent.Done, answer, true, 0},
		{agent.Done, nil, false, 0},
		{agent.Done, nil, true, 1}, // no result is never a yes
		{agent.Crashed, answer, false, 1},
		{agent.Limited, nil, false, 1},
		{agent.NoAgent, nil, false, 1},
		{agent.Budgeted, answer, false, 12},
		{agent.Unpriced, nil, false, 2},
		{agent.NoLogin, nil, false, 13},
		{agent.Cancelled, answer, false, 130},
	} {
		if have := exitCode(agent.Result{End: c.end, JSON: c.json}, c.strict, false); have != c.want {
			t.Errorf("%s: %d, want %d", c.end, have, c.want)
		}
	}
}

func shown(terminal, asJSON bool, events ...agent.Event) string {
	var b bytes.Buffer
	s := &screen{app: &app.App{Out: &b, Color: terminal}, json: asJSON}
	for _, e := range events {
		s.event("demo", e)
	}
	return b.String()
}

func TestAnEventIsOneLineThatObeysNothing(t *testing.T) {
	have := shown(false, false, agent.Event{Kind: "text", Text: "a\n\x1b[2J\u202eb"}, agent.Event{Kind: "tool", Tool: "bash", Text: "ls"},
		agent.Event{Kind: "usage", Usage: &agent.Usage{Input: 7, MicroUSD: 1_234_500, Priced: true}}, agent.Event{Kind: "result", Text: "x"})
	want := "text     a\\n\\u001b[2J\\u202eb\ntool     bash ls\nusage    7 tokens, $1.2345\n"
	if have != want {
		t.Errorf("%q, want %q", have, want)
	}
	if long := shown(false, false, agent.Event{Kind: "text", Text: strings.Repeat("ü", maxLine+7)}); !strings.HasSuffix(long, "ü… (7 more)\n") {
		t.Error(long)
	}
}

func TestColoursAreForTerminals(t *testing.T) {
	e := agent.Event{Kind: "tool", Tool: "bash"}
	if have := shown(true, false, e); have != "\x1b[36mtool    \x1b[0m bash\n" {
		t.Errorf("%q", have)
	}
	if have := shown(true, true, e); strings.Contains(have, "\x1b") {
		t.Errorf("%q", have)
	}
}

func TestJSONLinesHaveExactCosts(t *testing.T) {
	reset := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	have := shown(false, true, agent.Event{Kind: "limit", Text: "<full>", Usage: &agent.Usage{MicroUSD: 50_000_001, Priced: true}, Reset: &reset})
	want := `{"type":"event","agent":"demo","kind":"limit","text":"<full>","usage":{"input_tokens":0,"output_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0,"cost_usd":50.000001,"turns":0},"reset":"2026-01-02T03:04:05Z"}` + "\n"
	if have != want {
		t.Errorf("%s want %s", have, want)
	}
	text, err := json.Marshal(viewResult(agent.Result{End: agent.Crashed, Agent: "demo"}, ""))
	if err != nil || !strings.Contains(string(text), `"end":"crashed","result":null`) {
		t.Errorf("%v %s", err, text)
	}
}

// What nobody knows is not told as nothing.
func TestACostThatIsNotKnown(t *testing.T) {
	for _, c := range []struct {
		u            agent.Usage
		words, value string
	}{
		{agent.Usage{Input: 7}, "7 tokens, cost unknown", "null"},
		{agent.Usage{Input: 7, MicroUSD: 20_000}, "7 tokens, at least $0.0200", "null"},
		{agent.Usage{Priced: true}, "0 tokens, $0.0000", "0.000000"},
	} {
		if have := formatUsage(c.u); have != c.words {
			t.Errorf("%s, want %s", have, c.words)
		}
		text, err := json.Marshal(viewUsage(&c.u))
		if err != nil || !strings.Contains(string(text), `"cost_usd":`+c.value+",") {
			t.Errorf("%v %s", err, text)
		}
	}
}

// The settings know the agents by name, without knowing them.
func TestTheSettingsAcceptTheAgentsThatThereAre(t *testing.T) {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	if !slices.Equal(names, config.Agents()) {
		t.Errorf("%q, the settings accept %q", names, config.Agents())
	}
}
