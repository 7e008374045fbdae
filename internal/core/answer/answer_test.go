package answer_test

import (
	"strings"
	"testing"

	"warp/internal/core/answer"
	"warp/internal/core/lossless"
)

var roles = []answer.Role{answer.Plan, answer.Code, answer.Fix, answer.Verify, answer.Judge, answer.Supervise, answer.Scan, answer.Iterate}

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
		role answer.Role
		json string
		why  string
	}{
		{answer.Plan, `{"approach":"a","chunks":[["AC-01"],["AC-02","AC-03"]]}`, ""},
		{answer.Plan, `{}`, ""},
		{answer.Plan, `{"chunks":["AC-01"]}`, "chunks[0] must be"},
		{answer.Code, `{"summary":"s","decision":{"question":"q","options":["a"],"default":"a"}}`, ""},
		{answer.Code, `{"decision":{}}`, "decision lacks question"},
		{answer.Fix, `{"summary":null,"learnings":["l"],"later":1}`, ""},
		{answer.Fix, `{"learnings":["l",{"type":"pattern","lesson":"l","pattern":"p","context":"c","more":1},{}],"lessons":[]}`, ""},
		{answer.Fix, `{"learnings":[1,{"lesson":1}]}`, ""}, // what is no lesson teaches nothing
		{answer.Fix, `{"learnings":"l"}`, "learnings must be an array, not a string"},
		{answer.Verify, `{"criteria":[{"id":"AC-01","met":true}]}`, ""},
		{answer.Verify, `{"criteria":[{"id":"AC-01"}]}`, "criteria[0] lacks met"},
		{answer.Verify, `{"criteria":[{"id":"AC-01","met":"yes"}]}`, "met must be"},
		{answer.Verify, `{}`, "it lacks criteria"},
		{answer.Judge, `{"stop":false,"confidence":0.5}`, ""},
		{answer.Judge, `{"stop":1}`, "stop must be"},
		{answer.Supervise, `{"conflicts":[]}`, ""},
		{answer.Scan, `{"findings":[{"title":"t","files":["a"]}]}`, ""},
		{answer.Scan, `{"findings":[{"priority":"p1"}]}`, "findings[0] lacks title"},
		{answer.Iterate, `{"plateau":true,"items_completed":["a"]}`, ""},
		{answer.Iterate, `"done"`, "it must be an object"},
	} {
		got := answer.Valid(c.role, value(t, c.json))
		if (got == "") != (c.why == "") || !strings.Contains(got, c.why) {
			t.Errorf("%s %s: %q, want %q", c.role, c.json, got, c.why)
		}
	}
	for _, r := range roles {
		if answer.Valid(r, nil) == "" {
			t.Errorf("%s: nothing is a result", r)
		}
	}
}

func TestTheLastBlockCounts(t *testing.T) {
	words := "```json\n{\"stop\":false}\n```\nor rather\n```\n{\"stop\":true}\n```\n```sh\nls\n```\n"
	if v := answer.Extract(answer.Judge, words); v == nil || v.Get("stop").Raw != "true" {
		t.Errorf("got %v", v)
	}
	for _, none := range []string{"", "{}", "`{\"stop\":true}`", "```{\"stop\":true}```"} {
		if v := answer.Extract(answer.Judge, none); v != nil {
			t.Errorf("%q: %v", none, v)
		}
	}
}

func TestAnObjectAtTheEndOfATextIsAResult(t *testing.T) {
	for words, want := range map[string]string{
		"The diff does it.\n{\"criteria\":[{\"id\":\"AC-01\",\"met\":true}]}": `{"criteria":[{"id":"AC-01","met":true}]}`,
		"So: {\"criteria\": []}  \n":                                          `{"criteria":[]}`,
		"```json\n{\"criteria\":[]}":                                          `{"criteria":[]}`, // cut off before the fence was closed
		"It says {\"criteria\":[]} and that is not mine.":                     "",
		"{\"criteria\":[{\"id\":\"AC-01\"}]}":                                 "",
		"met: }":                                                              "",
	} {
		if have := lossless.AppendCompact(nil, answer.Extract(answer.Verify, words)); string(have) != want && (want != "" || string(have) != "null") {
			t.Errorf("%q: %s, want %s", words, have, want)
		}
	}
	if v := answer.Extract(answer.Code, "I wrote func Close() {}"); v != nil {
		t.Errorf("code is a result: %v", v)
	}
	if v := answer.Extract(answer.Code, "I need to know. {\"decision\":{\"question\":\"which {one}?\"}}"); v.Get("decision").Get("question").Text() != "which {one}?" {
		t.Errorf("the question is lost: %v", v)
	}
}

func TestAResultFile(t *testing.T) {
	for text, why := range map[string]string{
		`{"stop":true}`:                   "",
		"```json\n{\"stop\":true}\n```\n": "",
		"I am sure: {\"stop\":true}":      "",
		`{"stop":1}`:                      "stop must be",
		"```json\n{\"stop\":1}\n```":      "not valid JSON",
		"":                                "not valid JSON",
	} {
		v, have := answer.Read(answer.Judge, []byte(text))
		if (v == nil) == (why == "") || !strings.Contains(have, why) || why == "" && have != "" {
			t.Errorf("%q: %v %q, want %q", text, v, have, why)
		}
	}
}

func TestASchemaAllowsOnlyTheIdsThatAreAskedFor(t *testing.T) {
	for role, want := range map[answer.Role]string{
		answer.Verify: `"id":{"type":"string","enum":["AC-01","AC-02"]}`,
		answer.Fix:    `"done":{"type":"array","items":{"type":"string","enum":["AC-01","AC-02"]}}`,
		answer.Plan:   `"items":{"type":"string","enum":["AC-01","AC-02"]}`,
	} {
		if s := string(answer.Schema(role, []string{"AC-01", "AC-02"})); !strings.Contains(s, want) {
			t.Errorf("%s: %s", role, s)
		}
	}
}

func TestSchemasAreJSONAndNameWhatIsRequired(t *testing.T) {
	for _, r := range roles {
		v := value(t, string(answer.Schema(r, nil)))
		if v.Get("type").Text() != "object" || v.Get("properties").Get("learnings") == nil {
			t.Errorf("%s: %s", r, answer.Schema(r, nil))
		}
	}
	if s := string(answer.Schema(answer.Judge, nil)); !strings.Contains(s, `"required":["stop"]`) {
		t.Errorf("%s", s)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("```json\n{\"stop\":true}\n```")
	f.Add("``````\n```")
	f.Fuzz(func(t *testing.T, words string) {
		if v := answer.Extract(answer.Judge, words); v != nil && answer.Valid(answer.Judge, v) != "" {
			t.Fatalf("%q gives what is no result", words)
		}
	})
}
