package messages

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

type object = map[string]any

// answer sends a step as the client asked for it: whole, or as a stream.
func answer(w http.ResponseWriter, r Request, s Step) {
	// Ids are random, since a session may be resumed against another server.
	msg := object{
		"id": "msg_" + rand.Text(), "type": "message", "role": "assistant", "model": r.Model,
		"content": parts(s), "stop_reason": stopReason(s), "stop_sequence": nil, "usage": usage(s.Usage),
	}
	w.Header().Set("Request-Id", "req_"+rand.Text())
	if r.Stream {
		stream(w, msg)
		return
	}
	writeJSON(w, http.StatusOK, msg)
}

func parts(s Step) []object {
	var all []object
	if s.Text != "" || len(s.Tools) == 0 {
		all = append(all, object{"type": "text", "text": s.Text})
	}
	for _, t := range s.Tools {
		input := t.Input
		if input == nil {
			input = object{}
		}
		all = append(all, object{"type": "tool_use", "id": "toolu_" + rand.Text(), "name": t.Name, "input": input})
	}
	return all
}

func stopReason(s Step) string {
	if len(s.Tools) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func usage(u Usage) object {
	if u == (Usage{}) {
		u = Usage{Input: 100, Output: 20}
	}
	return object{
		"input_tokens": u.Input, "output_tokens": u.Output,
		"cache_read_input_tokens": u.CacheRead, "cache_creation_input_tokens": u.CacheCreation,
		"service_tier": "standard",
	}
}

// stream sends a message as server-sent events, each part in one piece.
func stream(w http.ResponseWriter, msg object) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	send := func(event string, data object) {
		data["type"] = event
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, mustJSON(data))
	}
	start := object{}
	for k, v := range msg {
		start[k] = v
	}
	start["content"], start["stop_reason"] = []any{}, nil
	send("message_start", object{"message": start})
	for i, p := range msg["content"].([]object) {
		empty, delta := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": p["text"]}
		if p["type"] == "tool_use" {
			empty = object{"type": "tool_use", "id": p["id"], "name": p["name"], "input": object{}}
			delta = object{"type": "input_json_delta", "partial_json": string(mustJSON(p["input"]))}
		}
		send("content_block_start", object{"index": i, "content_block": empty})
		send("content_block_delta", object{"index": i, "delta": delta})
		send("content_block_stop", object{"index": i})
	}
	send("message_delta", object{"delta": object{"stop_reason": msg["stop_reason"], "stop_sequence": nil}, "usage": msg["usage"]})
	send("message_stop", object{})
}

// countTokens takes four bytes for a token, as good as any guess.
func countTokens(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has gone
	}
	writeJSON(w, http.StatusOK, object{"input_tokens": len(body) / 4})
}

func writeError(w http.ResponseWriter, f Fail) {
	id := "req_" + rand.Text()
	w.Header().Set("Request-Id", id)
	for k, v := range f.Header {
		w.Header().Set(k, v)
	}
	writeJSON(w, f.Status, object{"type": "error", "error": object{"type": f.Type, "message": f.Message}, "request_id": id})
}

// writeJSON does not look at the error of a write: the client may have been
// killed, which is what many tests are about.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(mustJSON(v))
}

// mustJSON panics on what a test put into a script and JSON cannot hold.
func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("answering with %v: %v", v, err))
	}
	return raw
}
