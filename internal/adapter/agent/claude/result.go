package claude

import (
	"fmt"
	"strings"

	"warp/internal/core/fault"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// deniedMost bounds the list of denials that a run can grow.
const deniedMost = 100

// result reads a result event. The last one counts, what was spent adds up.
func (p *parser) result(raw []byte) []agent.Event {
	r := parse(raw)
	p.outcome = r
	p.pay(r, p.resumed)
	if list := r.Get("permission_denials"); list != nil {
		for _, d := range list.Elems {
			if len(p.denials) < deniedMost {
				p.denials = append(p.denials, strings.TrimSpace(d.Get("tool_name").Text()+" "+about(d.Get("tool_input"))))
			}
		}
	}
	so := p.sofar()
	return []agent.Event{{Kind: "result", Text: r.Get("result").Text(), Usage: &so}}
}

// about is what a call of a tool is about, in a few words.
func about(input *lossless.Value) string {
	for _, key := range []string{"command", "file_path", "path", "pattern", "description", "url", "prompt"} {
		if what := input.Get(key).Text(); what != "" {
			return text.Clip(strings.TrimSpace(what), 120)
		}
	}
	return ""
}

// End implements agent.Parser.
func (p *parser) End(exit int, stderr string) agent.Result {
	r := agent.Result{Text: p.words, Session: p.session, Usage: p.sofar(), Denials: p.denials}
	if p.outcome == nil {
		r.End, r.Why = agent.Crashed, fmt.Sprintf("it ended with %d and no result: %s", exit, lastLine(stderr))
		if exit == 0 {
			r.End, r.Why = agent.Unusable, "it ended without a result event"
		}
		return r
	}
	if text := p.outcome.Get("result"); text != nil {
		r.Text = text.Text()
	}
	r.JSON = p.outcome.Get("structured_output")
	p.why(&r, stderr)
	return r
}

// why says how a run with a result event ended. The subtype is "success" also
// after an error of the API.
func (p *parser) why(r *agent.Result, stderr string) {
	o := p.outcome
	status, _ := o.Get("api_error_status").Int()
	failed := o.Get("is_error") != nil && o.Get("is_error").Raw == "true"
	r.Why = text.Clip(strings.TrimSpace(r.Text), 300)
	if list := o.Get("errors"); list != nil && len(list.Elems) > 0 {
		r.Why = text.Clip(strings.TrimSpace(list.Elems[0].Text()), 300)
	}
	switch subtype := o.Get("subtype").Text(); {
	case subtype == "error_max_turns":
		r.End = agent.MaxTurns
	case subtype == "error_max_budget_usd":
		r.End = agent.Budgeted
	case subtype == "error_max_structured_output_retries":
		r.End = agent.Unusable
	case o.Get("stop_reason").Text() == "refusal":
		r.End = agent.Refused
	case !failed:
		r.End, r.Why = agent.Done, ""
	case o.Get("api_error").Text() == "usage_limit_reached" || p.rejected && status == 429:
		r.End, r.Reset = agent.Limited, p.reset
	case status == 401 || p.failure == "authentication_failed":
		r.End, r.Class = agent.NoLogin, fault.Permission
		r.Why += "; log in: claude auth login (or correct ANTHROPIC_API_KEY)"
	case status != 0 || o.Get("terminal_reason").Text() == "api_error":
		r.End, r.Class = agent.APIError, p.class(status)
	default:
		r.End = agent.Crashed
		if r.Why == "" {
			r.Why = lastLine(stderr)
		}
	}
}

// class goes by the status. Without one it was the network, unless Claude Code
// has a name for it.
func (p *parser) class(status int64) fault.Class {
	switch {
	case p.failure == "billing_error":
		return fault.Permission
	case status != 0:
		c, _ := fault.Classify("", fmt.Sprintf("HTTP %d", status), false)
		return c
	case p.failure == "invalid_request":
		return fault.Unknown
	}
	return fault.Network
}
