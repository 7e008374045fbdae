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
	if v, _ := answer.Find(answer.Judge, words); v == nil || v.Get("stop").Raw != "true" {
		t.Errorf("got %v", v)
	}
	for _, none := range []string{"", "{}", "`{\"stop\":true}`", "```{\"stop\":true}```"} {
		if v, why := answer.Find(answer.Judge, none); v != nil || none != "{}" && why != answer.None {
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
		v, _ := answer.Find(answer.Verify, words)
		if have := lossless.AppendCompact(nil, v); string(have) != want && (want != "" || string(have) != "null") {
			t.Errorf("%q: %s, want %s", words, have, want)
		}
	}
	if v, _ := answer.Find(answer.Code, "I wrote func Close() {}"); v != nil {
		t.Errorf("code is a result: %v", v)
	}
	if v, _ := answer.Find(answer.Code, "I need to know. {\"decision\":{\"question\":\"which {one}?\"}}"); v.Get("decision").Get("question").Text() != "which {one}?" {
		t.Errorf("the question is lost: %v", v)
	}
}

func TestAResultFile(t *testing.T) {
	for text, why := range map[string]string{
		`{"stop":true}`:                   "",
		"```json\n{\"stop\":true}\n```\n": "",
		"I am sure: {\"stop\":true}":      "",
		`{"stop":1}`:                      "stop must be",
		"```json\n{\"stop\":1}\n```":      "stop must be",
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

func TestWhyATextHasNoResult(t *testing.T) {
	for words, want := range map[string]string{
		"All good.":                              answer.None,
		"func main() {}":                         answer.None,
		"```json\n{\"files\": [\"a\"]}\n```":     answer.None, // what it shows is no answer
		"Well.\n{\"stop\": \"yes\"}":             "stop must be",
		"```\n{\"reason\": \"it is done\"}\n```": "it lacks stop",
	} {
		if v, why := answer.Find(answer.Judge, words); v != nil || !strings.Contains(why, want) {
			t.Errorf("%q: %q, want %q", words, why, want)
		}
	}
}

func TestIdsAreThoseThatWereAskedFor(t *testing.T) {
	asked := []string{"AC-01", "AC-02", "AC-10"}
	for said, want := range map[string]string{
		"AC-01": "AC-01", "AC-1": "AC-01", "ac1": "AC-01", "AC_02": "AC-02", "AC 10": "AC-10", "AC-010": "AC-10", "2": "AC-02", "#2": "AC-02",
		"AC-02: it is said": "AC-02", "AC-1.": "AC-01", "`AC-01`": "AC-01",
		"AC-03": "AC-03", "REQ-01": "REQ-01", "AC-1a": "AC-1a", "": "", "AC": "AC", "first": "first",
	} {
		v := answer.Name(answer.Verify, asked, value(t, `{"criteria":[{"id":"`+said+`","met":true}],"unasked":[]}`))
		if have := v.Get("criteria").Elems[0].Get("id").Text(); have != want {
			t.Errorf("%q is taken for %q, want %q", said, have, want)
		}
	}
	if v := answer.Name(answer.Verify, []string{"AC-1", "BUG-1"}, value(t, `{"criteria":[{"id":"1","met":true}]}`)); v.Get("criteria").Elems[0].Get("id").Text() != "1" {
		t.Error("one of two was guessed")
	}
	for role, of := range map[answer.Role][2]string{
		answer.Fix:  {`{"done":["ac-2"]}`, `{"done":["AC-02"]}`},
		answer.Plan: {`{"chunks":[["AC-1","2"],["AC-9"]]}`, `{"chunks":[["AC-01","AC-02"],["AC-9"]]}`},
		answer.Code: {`{"done":"AC-1","summary":null}`, `{"done":"AC-1","summary":null}`},
	} {
		if have := lossless.AppendCompact(nil, answer.Name(role, asked, value(t, of[0]))); string(have) != of[1] {
			t.Errorf("%s: %s, want %s", role, have, of[1])
		}
	}
}

func TestAVerdictThatIsMissingIsAdded(t *testing.T) {
	ids := []string{"AC-01", "AC-02"}
	first := value(t, `{"criteria":[{"id":"AC-01","met":true}],"unasked":[{"file":"a"}]}`)
	if have := answer.Unjudged(ids, first); len(have) != 1 || have[0] != "AC-02" {
		t.Errorf("%v", have)
	}
	both := answer.Join(first, value(t, `{"criteria":[{"id":"AC-02","met":false}],"lessons":["l"]}`))
	if have, want := string(lossless.AppendCompact(nil, both)), `{"criteria":[{"id":"AC-01","met":true},{"id":"AC-02","met":false}],"unasked":[{"file":"a"}],"lessons":["l"]}`; have != want || len(answer.Unjudged(ids, both)) > 0 {
		t.Errorf("%s", have)
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("```json\n{\"stop\":true}\n```")
	f.Add("``````\n```")
	f.Fuzz(func(t *testing.T, words string) {
		if v, _ := answer.Find(answer.Judge, words); v != nil && answer.Valid(answer.Judge, v) != "" {
			t.Fatalf("%q gives what is no result", words)
		}
	})
}
