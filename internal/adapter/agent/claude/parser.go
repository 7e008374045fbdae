package claude

import (
	"strings"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// parser keeps only what the end of the run needs.
type parser struct {
	session string
	resumed bool
	told    bool // the session was reported
	words   string
	failure string // the name of the last message's error
	counter
	rejected bool // the subscription has refused the last request
	waits
	reset   time.Time
	outcome *lossless.Value // the last result event
	denials []string
}

// line holds the raw members of an event, before any is parsed.
type line struct {
	kind, subtype, session, parent, failure string
	message, event, limit                   []byte
}

// Line implements agent.Parser. Most lines are pieces of messages and results of tools, which may be
// huge, so it only scans them.
func (p *parser) Line(raw []byte) []agent.Event {
	var l line
	err := lossless.Scan(raw, func(key string, raw []byte) {
		switch key {
		case "type":
			l.kind = lossless.Plain(raw)
		case "subtype":
			l.subtype = lossless.Plain(raw)
		case "session_id":
			l.session = lossless.Plain(raw)
		case "parent_tool_use_id":
			l.parent = lossless.Plain(raw)
		case "error":
			l.failure = lossless.Plain(raw)
		case "message":
			l.message = raw
		case "event":
			l.event = raw
		case "rate_limit_info":
			l.limit = raw
		}
	})
	if err != nil {
		return nil // a hook's output, or half a line of a killed run
	}
	var events []agent.Event
	if l.session != "" {
		p.session = l.session
		if !p.told {
			p.told = true
			events = append(events, agent.Event{Kind: "note", Text: "session " + l.session, Session: l.session})
		}
	}
	switch l.kind {
	case "assistant":
		return append(events, p.assistant(l)...)
	case "stream_event":
		return append(events, p.piece(l)...)
	case "rate_limit_event":
		return append(events, p.limit(l.limit)...)
	case "user":
		if l.parent == "" {
			p.calls = max(0, p.calls-1)
		}
	case "system":
		if l.subtype == "api_retry" {
			p.waits.retried(agent.ParseLine(raw))
		}
		return append(events, notice(l.subtype, raw)...)
	case "result":
		return append(events, p.result(raw)...)
	}
	return events
}

// assistant reads one part of a message.
func (p *parser) assistant(l line) []agent.Event {
	m := agent.ParseLine(l.message)
	var events []agent.Event
	if content := m.Get("content"); content != nil {
		for _, part := range content.Elems {
			events = append(events, p.part(part, l.parent == "")...)
		}
	}
	if l.parent == "" {
		p.failure = l.failure
		p.uses(m)
		if l.failure == "" && m.Get("model").Text() != "<synthetic>" {
			p.rejected = false // the model has answered since
		}
	}
	return append(events, p.count(l.parent, m.Get("id").Text(), m.Get("usage"))...)
}

func (p *parser) part(part *lossless.Value, own bool) []agent.Event {
	switch part.Get("type").Text() {
	case "text":
		text := part.Get("text").Text()
		if own {
			p.words = text
		}
		return []agent.Event{{Kind: "text", Text: text}}
	case "thinking":
		if text := part.Get("thinking").Text(); text != "" {
			return []agent.Event{{Kind: "thinking", Text: text}}
		}
	case "tool_use":
		if own {
			p.calls++
		}
		return []agent.Event{{Kind: "tool", Tool: part.Get("name").Text(), Text: agent.About(part.Get("input"), toolSubjects...)}}
	}
	return nil
}

// piece reads the usage in a piece of a message.
func (p *parser) piece(l line) []agent.Event {
	e := agent.ParseLine(l.event)
	switch e.Get("type").Text() {
	case "message_start":
		if l.parent == "" {
			p.waits = waits{}
			p.uses(e.Get("message"))
		}
		return p.count(l.parent, e.Get("message").Get("id").Text(), e.Get("message").Get("usage"))
	case "message_delta":
		return p.count(l.parent, "", e.Get("usage"))
	}
	return nil
}

// limit reads the state of the subscription. Only a rejection is a limit, and only if the model does
// not answer after it: the excess may be paid for.
func (p *parser) limit(raw []byte) []agent.Event {
	info := agent.ParseLine(raw)
	events := windows(info)
	p.rejected = info.Get("status").Text() == "rejected" && !isTrue(info.Get("isUsingOverage"))
	if !p.rejected {
		return events
	}
	e := agent.Event{Kind: "limit", Text: "usage limit " + info.Get("rateLimitType").Text()}
	p.reset = time.Time{}
	if at, ok := info.Get("resetsAt").Int(); ok && at > 0 {
		p.reset = time.Unix(at, 0)
		e.Reset = &p.reset
	}
	return append(events, e)
}

// notice reads system lines that a person wants to see.
func notice(subtype string, raw []byte) []agent.Event {
	switch subtype {
	case "api_retry":
		v := agent.ParseLine(raw)
		return []agent.Event{{Kind: "note", Text: "the API failed and is tried again: " + v.Get("error").Text()}}
	case "permission_denied":
		v := agent.ParseLine(raw)
		return []agent.Event{{Kind: "note", Tool: v.Get("tool_name").Text(), Text: "not permitted: " + text.Clip(strings.TrimSpace(v.Get("message").Text()), 200)}}
	}
	return nil
}

// waits tracks what a silent run is waiting for.
type waits struct {
	calls int              // tool calls without a result yet
	retry errorclass.Class // why the API call is being retried
}

// retried reads an api_retry event: Claude Code waits as long as the API demands, without output.
func (w *waits) retried(v *lossless.Value) {
	w.retry = errorclass.Network
	if status, ok := v.Get("error_status").Int(); ok && (status == 429 || status == 529) {
		w.retry = errorclass.RateLimit
	}
}

// Waits implements agent.Waiter. Before its session begins, Claude Code makes no API calls.
func (p *parser) Waits() errorclass.Class {
	switch {
	case p.calls > 0 || !p.told:
		return errorclass.None
	case p.retry != "":
		return p.retry
	}
	return errorclass.Timeout
}

func isTrue(v *lossless.Value) bool { return v != nil && v.Kind == lossless.Bool && v.Raw == "true" }
