package claude

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"warp/internal/engine/agent"
)

// Whatever the stream is, there is an end, a negative cost is never told, and
// the usage never falls.
func FuzzParser(f *testing.F) {
	f.Add([]byte(said("", "a", word, 1, 2)+"\n"+fmt.Sprintf(result, "x")), 0)
	f.Add([]byte(`{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794720000}}`), 1)
	f.Add([]byte(`{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":-5}}}`), 1)
	f.Add([]byte(`{"type":"system","subtype":"api_retry","error":"x"}`+"\n"+`{"type":"result"}`), 0)
	f.Fuzz(func(t *testing.T, stream []byte, exit int) {
		p := New(Options{}).Parser(agent.Task{})
		var last int64
		for line := range bytes.SplitSeq(stream, []byte("\n")) {
			for _, e := range p.Line(line) {
				if e.Usage == nil {
					continue
				}
				if now := e.Usage.Tokens(); now < last && last < 1<<50 {
					t.Fatalf("%d tokens after %d", now, last)
				}
				last = e.Usage.Tokens()
			}
		}
		if r := p.End(exit, "x"); r.End == "" {
			t.Fatal("no end")
		}
	})
}

// BenchmarkEvents is what 300 events of a run cost: messages, calls, their
// results of 2 KB, and the pieces.
func BenchmarkEvents(b *testing.B) {
	var lines [][]byte
	for i := range 60 {
		id := fmt.Sprintf("msg_%d", i)
		for _, l := range []string{
			`{"type":"stream_event","event":{"type":"message_start","message":{"id":"` + id + `","usage":{"input_tokens":100,"output_tokens":1}}},"session_id":"s","parent_tool_use_id":null}`,
			`{"type":"stream_event","event":{"delta":{"text":"some words of it","type":"text_delta"},"index":0,"type":"content_block_delta"},"session_id":"s","parent_tool_use_id":null}`,
			said("", id, `{"type":"text","text":"`+strings.Repeat("word ", 50)+`"}`, 100, 20),
			said("", id, `{"type":"tool_use","name":"Bash","input":{"command":"go test ./..."}}`, 100, 20),
			`{"type":"user","message":{"content":[{"type":"tool_result","content":"` + strings.Repeat("ok  pkg ", 250) + `"}]},"session_id":"s"}`,
		} {
			lines = append(lines, []byte(l))
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		p := New(Options{}).Parser(agent.Task{})
		for _, l := range lines {
			p.Line(l)
		}
		p.End(0, "")
	}
}
