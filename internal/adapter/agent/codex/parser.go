package codex

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// parser keeps only what the end of the run needs.
type parser struct {
	adapter   *adapter
	session   string
	model     string // the model asked for
	words     string
	messages  int
	usage     agent.Usage
	completed bool
	failure   string // the message of turn.failed
	failed    bool
	error     string // the last error that did not end the turn
	turns     int
	calls     int // running tool calls
}

// Line implements agent.Parser.
func (p *parser) Line(raw []byte) []agent.Event {
	kind, ok := agent.Kind(raw)
	if !ok {
		return nil
	}
	switch kind {
	case "thread.started":
		p.session = agent.ParseLine(raw).Get("thread_id").Text()
		return []agent.Event{{Kind: "note", Text: "session " + p.session, Session: p.session}}
	case "turn.started":
		p.turns++
	case "item.started", "item.completed":
		return p.item(agent.ParseLine(raw).Get("item"), kind == "item.completed")
	case "turn.completed":
		return p.complete(agent.ParseLine(raw).Get("usage"))
	case "turn.failed":
		p.failed, p.failure = true, agent.ParseLine(raw).Get("error").Get("message").Text()
		return []agent.Event{{Kind: "note", Text: text.Clip(strings.TrimSpace(p.failure), 300)}}
	case "error":
		p.error = agent.ParseLine(raw).Get("message").Text()
		return []agent.Event{{Kind: "note", Text: text.Clip(strings.TrimSpace(p.error), 300)}}
	}
	return nil
}

// item reports a call when it begins, and text when it is complete.
func (p *parser) item(i *lossless.Value, completed bool) []agent.Event {
	kind := i.Get("type").Text()
	switch {
	case kind == "agent_message" && completed:
		p.words = i.Get("text").Text()
		p.messages++
		return []agent.Event{{Kind: "text", Text: p.words}}
	case kind == "reasoning" && completed:
		return []agent.Event{{Kind: "thinking", Text: i.Get("text").Text()}}
	case kind == "error" && completed:
		return []agent.Event{{Kind: "note", Text: text.Clip(strings.TrimSpace(i.Get("message").Text()), 300)}}
	case kind == "agent_message" || kind == "reasoning":
		return nil
	case completed:
		p.calls = max(0, p.calls-1)
		return nil
	}
	p.calls++
	return []agent.Event{{Kind: "tool", Tool: kind, Text: subjectOf(i)}}
}

// subjectOf returns what an item is about, in a few words.
func subjectOf(i *lossless.Value) string {
	if changes := i.Get("changes"); changes != nil && len(changes.Elems) > 0 {
		return agent.About(changes.Elems[0], "path")
	}
	return agent.About(i, "command", "tool", "query")
}

// complete reads the thread's usage. Cached tokens are included in the input tokens.
func (p *parser) complete(u *lossless.Value) []agent.Event {
	p.completed = true
	read, written := agent.Count(u.Get("cached_input_tokens")), agent.Count(u.Get("cache_write_input_tokens"))
	total := agent.Usage{
		Input:  max(agent.Count(u.Get("input_tokens"))-read-written, 0),
		Output: agent.Count(u.Get("output_tokens")), CacheRead: read, CacheWrite: written,
	}
	p.usage = p.adapter.since(p.session, total)
	p.usage.Turns, p.usage.Model = p.turns, p.model
	so := p.usage
	return []agent.Event{{Kind: "result", Text: p.words, Usage: &so}}
}

// End implements agent.Parser.
func (p *parser) End(exit int, stderr string) agent.Result {
	r := agent.Result{Text: p.words, Session: p.session, Usage: p.usage}
	r.Usage.Turns = p.turns
	switch {
	case p.failed:
		p.fail(&r)
	case p.completed && p.messages == 0:
		r.End, r.Why = agent.Refused, "the turn ended without a message: the model refused to answer"
	case p.completed && exit == 0:
		r.End = agent.Done
	case exit == 0:
		r.End, r.Why = agent.Unusable, "it ended before its turn was complete"
	default:
		r.End, r.Why = agent.Crashed, text.Clip(strings.TrimSuffix(fmt.Sprintf("it exited with code %d: %s", exit, strings.TrimSpace(lastWords(stderr, p.error))), ": "), 300)
	}
	return r
}

// Waits implements agent.Waiter.
func (p *parser) Waits() errorclass.Class {
	if p.calls > 0 || p.turns == 0 {
		return errorclass.None
	}
	return errorclass.Timeout
}

// lastWords returns the last line of stderr, unless it only reports that the prompt is being read.
func lastWords(stderr, otherwise string) string {
	if line := agent.LastLine(stderr); line != "" && !strings.HasPrefix(line, "Reading ") {
		return line
	}
	return otherwise
}

// The texts are the CLI's own, from events that report a failed turn. They are compiled on first
// use, which is rare.
var (
	statusText = lazy.Pattern{Text: `status:? (\d{3})\b`}
	againText  = lazy.Pattern{Text: `try again at ([^.]+)\.`}
	ordinal    = lazy.Pattern{Text: `(\d)(st|nd|rd|th),`}
)

// fail sets why a turn failed.
func (p *parser) fail(r *agent.Result) {
	r.Why = text.Clip(strings.TrimSpace(p.failure), 300)
	status := 0
	if m := statusText.Get().FindStringSubmatch(p.failure); m != nil {
		status, _ = strconv.Atoi(m[1])
	}
	switch {
	case strings.Contains(p.failure, "hit your usage limit"):
		r.End, r.Reset = agent.Limited, resetTime(p.failure, p.adapter.Now())
	case strings.Contains(p.failure, "reason: content_filter"):
		r.End = agent.Refused
	case strings.Contains(p.failure, "context window"):
		r.End = agent.Crashed
	default:
		// No status: high demand (which is what a 500 becomes), a broken stream, no connection.
		r.End, r.Class = agent.Refusal(status, p.failure)
	}
	if r.End == agent.NoLogin {
		r.Why += "; log in: codex login (or set CODEX_API_KEY)"
	}
}

// resetTime parses "10:53 AM", meaning today, or "Nov 16th, 2026 10:53 AM", both in the machine's
// zone. It returns zero for anything else.
func resetTime(text string, now time.Time) time.Time {
	m := againText.Get().FindStringSubmatch(text)
	if m == nil {
		return time.Time{}
	}
	at := ordinal.Get().ReplaceAllString(m[1], "$1,")
	if t, err := time.ParseInLocation("Jan 2, 2006 3:04 PM", at, now.Location()); err == nil {
		return t
	}
	t, err := time.ParseInLocation("3:04 PM", at, now.Location())
	if err != nil {
		return time.Time{}
	}
	// The seconds are cut off: a minute late is better than too early.
	today := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute()+1, 0, 0, now.Location())
	if today.Before(now) {
		today = today.AddDate(0, 0, 1)
	}
	return today
}
