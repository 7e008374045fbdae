package claude

import (
	"fmt"
	"strings"

	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// deniedMost limits the list of denials.
const deniedMost = 100

// result reads a result event. The last one counts; costs add up.
func (p *parser) result(raw []byte) []agent.Event {
	r := agent.ParseLine(raw)
	p.outcome = r
	p.pay(r, p.resumed)
	if list := r.Get("permission_denials"); list != nil {
		for _, d := range list.Elems {
			if len(p.denials) < deniedMost {
				p.denials = append(p.denials, strings.TrimSpace(d.Get("tool_name").Text()+" "+agent.About(d.Get("tool_input"), toolSubjects...)))
			}
		}
	}
	so := p.total()
	return []agent.Event{{Kind: "result", Text: r.Get("result").Text(), Usage: &so}}
}

// End implements agent.Parser.
func (p *parser) End(exit int, stderr string) agent.Result {
	r := agent.Result{Text: p.words, Session: p.session, Usage: p.total(), Denials: p.denials}
	if p.outcome == nil && p.rejected {
		r.End, r.Reset, r.Why = agent.Limited, p.reset, "the subscription's limit is reached"
		return r
	}
	if p.outcome == nil {
		r.End, r.Why = agent.Crashed, fmt.Sprintf("it exited with code %d and no result%s", exit, agent.LastWords(stderr))
		if exit == 0 {
			r.End, r.Why = agent.Unusable, "it ended without a result event"
		}
		return r
	}
	if text := p.outcome.Get("result"); text != nil {
		r.Text = text.Text()
	}
	r.JSON = p.outcome.Get("structured_output")
	p.setEnd(&r, stderr)
	return r
}

// setEnd sets how a run with a result event ended. The subtype is "success" even after an API error.
func (p *parser) setEnd(r *agent.Result, stderr string) {
	o := p.outcome
	status, _ := o.Get("api_error_status").Int()
	failed := isTrue(o.Get("is_error"))
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
	case p.rejected || failed && o.Get("api_error").Text() == "usage_limit_reached":
		r.End, r.Reset = agent.Limited, p.reset
	case o.Get("stop_reason").Text() == "refusal":
		r.End = agent.Refused
	case !failed:
		r.End, r.Why = agent.Done, ""
	case status != 0 || o.Get("terminal_reason").Text() == "api_error":
		p.refused(r, int(status))
	default:
		r.End = agent.Crashed
		if r.Why == "" {
			r.Why = agent.LastLine(stderr)
		}
	}
}

// refused classifies an error by the names that Claude Code and the API give it, and by its status.
// Without any of these it was the network.
func (p *parser) refused(r *agent.Result, status int) {
	switch p.failure {
	case "authentication_failed":
		status = 401
	case "invalid_request":
		if status == 0 {
			status = 400
		}
	}
	r.End, r.Class = agent.Refusal(status, p.failure+" "+p.outcome.Get("api_error_type").Text())
	if r.End == agent.NoLogin {
		r.Why += "; log in: claude auth login (or correct ANTHROPIC_API_KEY)"
	}
}

// toolSubjects lists the tool inputs that name what a call is about.
var toolSubjects = []string{"command", "file_path", "path", "pattern", "description", "url", "prompt"}
