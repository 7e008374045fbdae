package gemini

import (
	"fmt"
	"strings"

	"warp/internal/core/errorclass"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// wordsMost limits how much of one message is kept; messages come in pieces.
const wordsMost = 16 << 20

// parser keeps only what the end of the run needs.
type parser struct {
	session  string
	model    string
	words    strings.Builder
	speaking bool // the last event was a piece of a message
	kept     bool // the session can be resumed
	usage    agent.Usage
	outcome  *lossless.Value
	error    string // the last error event
	denials  []string
	tools    map[string]string // running calls by id
}

// Line implements agent.Parser.
func (p *parser) Line(raw []byte) []agent.Event {
	kind, ok := agent.Kind(raw)
	if !ok {
		return nil
	}
	speaking := false
	defer func() { p.speaking = speaking }()
	// A session in which the model has not answered is not kept.
	p.kept = p.kept || kind == "tool_use"
	switch kind {
	case "init":
		v := agent.ParseLine(raw)
		p.session, p.model = v.Get("session_id").Text(), v.Get("model").Text()
		return []agent.Event{{Kind: "note", Text: "session " + p.session, Session: p.session, Model: p.model}}
	case "message":
		speaking = p.message(agent.ParseLine(raw))
		if speaking {
			p.kept = true
			return []agent.Event{{Kind: "text", Text: agent.ParseLine(raw).Get("content").Text()}}
		}
	case "tool_use":
		return p.tool(agent.ParseLine(raw))
	case "tool_result":
		p.answered(agent.ParseLine(raw))
	case "error":
		p.error = agent.ParseLine(raw).Get("message").Text()
		return []agent.Event{{Kind: "note", Text: text.Clip(strings.TrimSpace(p.error), 300)}}
	case "result":
		return p.result(agent.ParseLine(raw))
	}
	return nil
}

// message takes a piece of the agent's text and reports whether it was one; the prompt comes as a
// message too. Consecutive pieces are one message.
func (p *parser) message(v *lossless.Value) bool {
	if v.Get("role").Text() != "assistant" {
		return false
	}
	if !p.speaking {
		p.words.Reset()
	}
	if text := v.Get("content").Text(); p.words.Len()+len(text) <= wordsMost {
		p.words.WriteString(text)
	}
	return true
}

// deniedMost limits the lists that a run can grow.
const deniedMost = 100

func (p *parser) tool(v *lossless.Value) []agent.Event {
	name, input := v.Get("tool_name").Text(), v.Get("parameters")
	about := agent.About(input, "command", "file_path", "dir_path", "pattern", "query", "url")
	if p.tools == nil || len(p.tools) > deniedMost {
		p.tools = map[string]string{}
	}
	p.tools[v.Get("tool_id").Text()] = strings.TrimSpace(name + " " + about)
	return []agent.Event{{Kind: "tool", Tool: name, Text: about}}
}

// answered records denied calls. Tools that are not permitted are not offered, so calling one is
// reported as a call of an unknown tool.
func (p *parser) answered(v *lossless.Value) {
	id := v.Get("tool_id").Text()
	switch v.Get("error").Get("type").Text() {
	case "tool_not_registered", "policy_violation":
		if len(p.denials) < deniedMost {
			p.denials = append(p.denials, p.tools[id])
		}
	}
	delete(p.tools, id)
}

func (p *parser) result(v *lossless.Value) []agent.Event {
	p.outcome = v
	stats := v.Get("stats")
	p.usage = agent.Usage{
		Input: agent.Count(stats.Get("input")), Output: agent.Count(stats.Get("output_tokens")), CacheRead: agent.Count(stats.Get("cached")), Turns: 1, Model: p.model,
	}
	so := p.usage
	return []agent.Event{{Kind: "result", Text: p.words.String(), Usage: &so}}
}

// End implements agent.Parser.
func (p *parser) End(exit int, stderr string) agent.Result {
	r := agent.Result{Text: p.words.String(), Usage: p.usage, Denials: p.denials}
	if p.kept {
		r.Session = p.session
	}
	switch status := p.outcome.Get("status").Text(); {
	case p.outcome == nil && exit == 0:
		r.End, r.Why = agent.Unusable, "it ended without a result event"
	case p.outcome == nil && (exit == noLogin || exit == notTrusted):
		explainNoStart(&r, exit, stderr)
	case p.outcome == nil:
		r.End, r.Why = agent.Crashed, fmt.Sprintf("it exited with code %d and no result%s", exit, agent.LastWords(stderr))
	case status == "success" && exit == 0:
		r.End = agent.Done
	case status == "success":
		r.End, r.Why = agent.Crashed, fmt.Sprintf("it exited with code %d after a result", exit)
	default:
		p.fail(&r, exit)
	}
	return r
}

// Waits implements agent.Waiter.
func (p *parser) Waits() errorclass.Class {
	if len(p.tools) > 0 || p.session == "" {
		return errorclass.None
	}
	return errorclass.Timeout
}

// Exit codes before any event.
const (
	noLogin    = 41
	notTrusted = 55
)

// explainNoStart sets why it did not start.
func explainNoStart(r *agent.Result, exit int, stderr string) {
	r.End, r.Class, r.Why = agent.NoLogin, errorclass.Permission, agent.LastLine(stderr)
	if exit == notTrusted {
		r.Why += "; trust the folder: start gemini in it once, or set GEMINI_CLI_TRUST_WORKSPACE=true"
		return
	}
	r.Why += "; set GEMINI_API_KEY, or start gemini once and log in"
}

// statuses lists the statuses that the CLI exits with, modulo 256.
var statuses = []int{400, 401, 403, 404, 408, 429, 499, 500, 502, 503, 504, 529}

// fail sets why a run failed according to its result event. The texts are the CLI's own.
func (p *parser) fail(r *agent.Result, exit int) {
	said := p.outcome.Get("error").Get("message").Text()
	if said == "" {
		said = p.error
	}
	r.Why = text.Clip(strings.TrimSpace(said), 300)
	status := 0
	for _, s := range statuses {
		if exit != 0 && s%256 == exit {
			status = s
		}
	}
	switch {
	case strings.Contains(said, "blocked due to safety") || strings.Contains(said, "prohibited content"):
		r.End = agent.Refused
	case strings.Contains(said, "exhausted your") && strings.Contains(said, "quota"):
		r.End = agent.Limited
	case status != 0 || strings.HasPrefix(said, "[API Error:") || strings.Contains(said, "Model stream ended"):
		r.End, r.Class = agent.Refusal(status, said)
	default:
		r.End = agent.Crashed
	}
	if r.End == agent.NoLogin {
		r.Why += "; set GEMINI_API_KEY, or start gemini once and log in"
	}
}
