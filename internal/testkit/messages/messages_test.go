package messages

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func user(text string) object      { return object{"role": "user", "content": text} }
func assistant(text string) object { return object{"role": "assistant", "content": text} }

// send sends a conversation and returns the status and the body of the answer.
func send(ctx context.Context, s *Server, stream bool, conversation ...object) (int, string, error) {
	body := mustJSON(object{"model": "m", "stream": stream, "system": []object{{"type": "text", "text": "be brief"}}, "messages": conversation})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/v1/messages?beta=true", bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	return res.StatusCode, string(got), err
}

func post(t *testing.T, s *Server, stream bool, conversation ...object) (int, string) {
	t.Helper()
	status, body, err := send(t.Context(), s, stream, conversation...)
	if err != nil {
		t.Fatal(err)
	}
	return status, body
}

// say returns the text of an answer that is not streamed.
func say(t *testing.T, s *Server, conversation ...object) string {
	t.Helper()
	_, body := post(t, s, false, conversation...)
	var msg struct{ Content []struct{ Text string } }
	if err := json.Unmarshal([]byte(body), &msg); err != nil || len(msg.Content) == 0 {
		t.Fatalf("%v in %s", err, body)
	}
	return msg.Content[0].Text
}

func TestTheConversationPicksTheStep(t *testing.T) {
	s := Serve(t, Script{
		"a": {{Text: "a0"}, {Text: "a1"}},
		"b": {{Text: "b0"}, {Text: "b1"}},
	})
	a, b := user("do [[scenario:a]]"), user("now [[scenario:b]]")
	hook := object{"role": "system", "content": "a hook speaks of [[scenario:b]]"}
	quoted := object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": "1", "content": "[[scenario:b]]"}}}
	for _, c := range []struct {
		want string
		conv []object
	}{
		{"ok", []object{user("no marker")}},
		{"a0", []object{a}},
		{"a0", []object{a}}, // a retry
		{"a1", []object{a, assistant("a0"), user("go on")}},
		{"a1", []object{a, assistant("a0"), hook}},
		{"a1", []object{a, assistant("a0"), quoted}},
		{`The script "a" has ended before step 2.`, []object{a, assistant("a0"), user("go on"), assistant("a1"), user("more")}},
		{"b0", []object{a, assistant("a0"), b}},
		{"b1", []object{a, assistant("a0"), b, assistant("b0"), user("go on")}},
	} {
		if got := say(t, s, c.conv...); got != c.want {
			t.Errorf("%v: got %q, want %q", c.conv, got, c.want)
		}
	}
}

func TestScenarioWithoutName(t *testing.T) {
	s := Serve(t, Script{"": {{Text: "first"}, {Text: "second"}}})
	if got := say(t, s, user("x"), assistant("first"), user("y")); got != "second" {
		t.Errorf("got %q", got)
	}
}

func TestThePromptPicksTheScenario(t *testing.T) {
	pick := func(text string) string {
		name, _, found := strings.Cut(text, ": do")
		if !found {
			return ""
		}
		return name
	}
	s := ServePicked(t, pick, Script{"a": {{Text: "a0"}, {Text: "a1"}}, "b": {{Text: "b0"}, {Text: "b1"}}})
	for _, c := range []struct {
		want string
		conv []object
	}{
		{"ok", []object{user("a word")}},
		{"a1", []object{user("a: do it"), assistant("a0"), user("go on")}},
		{"b0", []object{user("a: do it"), assistant("a0"), user("b: do it")}},
		{"a0", []object{user("a: do it"), assistant("a0"), user("a: do it")}}, // the same prompt once more
		{"b1", []object{user("a: do [[scenario:b]]"), user("[[scenario:b@1]]")}},
	} {
		if got := say(t, s, c.conv...); got != c.want {
			t.Errorf("%v: got %q, want %q", c.conv, got, c.want)
		}
	}
}

func TestStream(t *testing.T) {
	s := Serve(t, Script{"a": {{Text: "look", Tools: []Tool{{Name: "Read", Input: object{"file_path": "x"}}, {Name: "Glob"}}, Usage: Usage{Input: 7, CacheRead: 9}}}})
	_, body := post(t, s, true, user("[[scenario:a]]"))
	var events []string
	var data []map[string]any
	for sc := bufio.NewScanner(strings.NewReader(body)); sc.Scan(); {
		if e, ok := strings.CutPrefix(sc.Text(), "event: "); ok {
			events = append(events, e)
		}
		if d, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			var v map[string]any
			if err := json.Unmarshal([]byte(d), &v); err != nil {
				t.Fatal(err)
			}
			data = append(data, v)
		}
	}
	part := []string{"content_block_start", "content_block_delta", "content_block_stop"}
	want := append([]string{"message_start"}, append(append(append(part, part...), part...), "message_delta", "message_stop")...)
	if diff := cmp.Diff(want, events); diff != "" {
		t.Fatal(diff)
	}
	if got := data[5]["delta"].(object)["partial_json"]; got != `{"file_path":"x"}` {
		t.Errorf("the input of the tool: %v", got)
	}
	last := data[len(data)-2]
	if got := last["delta"].(object)["stop_reason"]; got != "tool_use" {
		t.Errorf("stop reason %v", got)
	}
	if u := last["usage"].(object); u["input_tokens"] != 7.0 || u["cache_read_input_tokens"] != 9.0 || u["output_tokens"] != 0.0 {
		t.Errorf("usage %v", u)
	}
}

func TestCompactedConversationGoesOn(t *testing.T) {
	s := Serve(t, Script{"a": {{Text: "a0"}, {Text: "a1"}, {Text: "a2"}}})
	long := []object{user("[[scenario:a]]"), assistant("a0"), user("go on"), assistant("a1"), user("CRITICAL: Respond with TEXT ONLY.")}
	summary := say(t, s, long...)
	if !strings.Contains(summary, "<summary>") {
		t.Errorf("no summary: %q", summary)
	}
	if got := say(t, s, user(summary)); got != "a2" {
		t.Errorf("after the compaction: %q", got)
	}
	if r := s.Requests(); !r[0].Compact || r[1].Compact {
		t.Error("which request asked for a summary is lost")
	}
}

func TestOtherEndpoints(t *testing.T) {
	s := Serve(t, nil)
	for _, c := range []struct {
		method, path string
		status       int
		body         string
	}{
		{"HEAD", "/", 200, ""},
		{"GET", "/v1/models", 200, `{"data":[],"first_id":null,"has_more":false,"last_id":null}`},
		{"POST", "/v1/messages/count_tokens", 200, `{"input_tokens":2}`},
		{"GET", "/elsewhere", 404, "not_found_error"},
	} {
		req, err := http.NewRequest(c.method, s.URL+c.path, strings.NewReader("12345678"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != c.status || !strings.Contains(string(body), c.body) {
			t.Errorf("%s %s: %d %s %v", c.method, c.path, res.StatusCode, body, err)
		}
	}
}
