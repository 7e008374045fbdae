package agent_test

import (
	"strings"
	"testing"

	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
)

var roles = []agent.Role{agent.Plan, agent.Code, agent.Fix, agent.Verify, agent.Judge, agent.Supervise, agent.Scan, agent.Iterate}

func value(t *testing.T, s string) *lossless.Value {
	t.Helper()
	v, err := lossless.Parse([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestValid(t *testing.T) {
	for _, c := range []struct {
		role agent.Role
		json string
		why  string
	}{
		{agent.Plan, `{"approach":"a","chunks":[["AC-01"],["AC-02","AC-03"]]}`, ""},
		{agent.Plan, `{}`, ""},
		{agent.Plan, `{"chunks":["AC-01"]}`, "chunks[0] must be"},
		{agent.Code, `{"summary":"s","decision":{"question":"q","options":["a"],"default":"a"}}`, ""},
		{agent.Code, `{"decision":{}}`, "decision lacks question"},
		{agent.Fix, `{"summary":null,"learnings":["l"],"later":1}`, ""},
		{agent.Fix, `{"learnings":["l",{"type":"pattern","lesson":"l","pattern":"p","context":"c","more":1},{}],"lessons":[]}`, ""},
		{agent.Fix, `{"learnings":[1,{"lesson":1}]}`, ""}, // what is no lesson teaches nothing
		{agent.Fix, `{"learnings":"l"}`, "learnings must be an array, not a string"},
		{agent.Verify, `{"criteria":[{"id":"AC-01","met":true}]}`, ""},
		{agent.Verify, `{"criteria":[{"id":"AC-01"}]}`, "criteria[0] lacks met"},
		{agent.Verify, `{"criteria":[{"id":"AC-01","met":"yes"}]}`, "met must be"},
		{agent.Verify, `{}`, "it lacks criteria"},
		{agent.Judge, `{"stop":false,"confidence":0.5}`, ""},
		{agent.Judge, `{"stop":1}`, "stop must be"},
		{agent.Supervise, `{"conflicts":[]}`, ""},
		{agent.Scan, `{"findings":[{"title":"t","files":["a"]}]}`, ""},
		{agent.Scan, `{"findings":[{"priority":"p1"}]}`, "findings[0] lacks title"},
		{agent.Iterate, `{"plateau":true,"items_completed":["a"]}`, ""},
		{agent.Iterate, `"done"`, "it must be an object"},
	} {
		got := agent.Valid(c.role, value(t, c.json))
		if (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%s %s: %q, want %q", c.role, c.json, got, c.why)
		}
	}
	for _, r := range roles {
		if agent.Valid(r, nil) == "" {
			t.Errorf("%s: nothing is a result", r)
		}
	}
}

func TestTheLastBlockCounts(t *testing.T) {
	words := "```json\n{\"stop\":false}\n```\nor rather\n```\n{\"stop\":true}\n```\n```sh\nls\n```\n"
	if v := agent.Extract(agent.Judge, words); v == nil || v.Get("stop").Raw != "true" {
		t.Errorf("got %v", v)
	}
	for _, none := range []string{"", "{}", "```json\n{\"stop\":true}", "`{\"stop\":true}`", "```{\"stop\":true}```"} {
		if v := agent.Extract(agent.Judge, none); v != nil {
			t.Errorf("%q: %v", none, v)
		}
	}
}

func TestSchemasAreJSONAndNameWhatIsRequired(t *testing.T) {
	for _, r := range roles {
		v := value(t, string(agent.Schema(r)))
		if v.Get("type").Text() != "object" || v.Get("properties").Get("learnings") == nil {
			t.Errorf("%s: %s", r, agent.Schema(r))
		}
	}
	if s := string(agent.Schema(agent.Judge)); !strings.Contains(s, `"required":["stop"]`) {
		t.Errorf("%s", s)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("```json\n{\"stop\":true}\n```")
	f.Add("``````\n```")
	f.Fuzz(func(t *testing.T, words string) {
		if v := agent.Extract(agent.Judge, words); v != nil && agent.Valid(agent.Judge, v) != "" {
			t.Fatalf("%q gives what is no result", words)
		}
	})
}
