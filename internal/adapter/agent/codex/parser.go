package codex

import (
	"fmt"
	"strings"

	"warp/internal/core/errorclass"
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
		r.End, r.Why = agent.Refused, "the turn ended without a word: the model would not answer"
	case p.completed && exit == 0:
		r.End = agent.Done
	case exit == 0:
		r.End, r.Why = agent.Unusable, "it ended without the end of a turn"
	default:
		r.End, r.Why = agent.Crashed, text.Clip(strings.TrimSuffix(fmt.Sprintf("it ended with %d: %s", exit, strings.TrimSpace(lastWords(stderr, p.error))), ": "), 300)
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
