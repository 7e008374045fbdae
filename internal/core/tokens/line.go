package tokens

import (
	"bytes"
	"strconv"
	"time"

	"warp/internal/core/lossless"
)

// Message is one answer of a model, from a line of a transcript. Several lines can describe the
// same answer: each part of it has a line, and a resumed or forked session repeats earlier lines.
type Message struct {
	Key     uint64 // the same for all its lines
	At      int64  // milliseconds since 1970
	Session string
	Model   string
	Tokens
}

// mark is in every line with token counts. Inside a text its quotation marks would be escaped.
var mark = []byte(`"usage"`)

// ReadLine reads a line of a transcript; false if it has no token counts. Only the model's answers
// count: tool results repeat the sum of a subagent, whose messages have separate lines.
func ReadLine(line []byte) (m Message, ok bool) {
	if !bytes.Contains(line, mark) {
		return m, false
	}
	var kind, request, uuid string
	var message []byte
	err := lossless.Scan(line, func(key string, raw []byte) {
		switch key {
		case "type":
			kind = lossless.Plain(raw)
		case "message":
			message = raw
		case "requestId":
			request = lossless.Plain(raw)
		case "sessionId":
			m.Session = lossless.Plain(raw)
		case "timestamp":
			m.At = stamp(lossless.Plain(raw))
		case "uuid":
			uuid = lossless.Plain(raw)
		}
	})
	if err != nil || kind != "assistant" || message == nil {
		return Message{}, false
	}
	id := m.answer(message)
	if m.Sum() == 0 {
		return Message{}, false // an error that the agent put in place of an answer
	}
	if id == "" && request == "" {
		id = uuid
	}
	m.Key = hash(id, request)
	return m, true
}

func (m *Message) answer(raw []byte) (id string) {
	_ = lossless.Scan(raw, func(key string, raw []byte) { // already scanned as a part of the line
		switch key {
		case "id":
			id = lossless.Plain(raw)
		case "model":
			m.Model = lossless.Plain(raw)
		case "usage":
			_ = lossless.Scan(raw, m.count)
		}
	})
	return id
}

func (m *Message) count(key string, raw []byte) {
	var field *int64
	switch key {
	case "input_tokens":
		field = &m.Input
	case "output_tokens":
		field = &m.Output
	case "cache_read_input_tokens":
		field = &m.CacheRead
	case "cache_creation_input_tokens":
		field = &m.CacheWrite
	default:
		return
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil && n > 0 && n < most {
		*field = n
	}
}

// most limits a number of tokens, so that sums do not overflow.
const most = 1 << 40

func stamp(text string) int64 {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// hash is FNV-1a of the parts, each terminated.
func hash(parts ...string) uint64 {
	h := uint64(14695981039346656037)
	for _, s := range parts {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	return h
}
