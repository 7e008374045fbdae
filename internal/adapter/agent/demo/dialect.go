package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// asClaude makes the agent speak as Claude Code does, in its arguments and its
// stream, so that a program of three lines can stand in for it where the whole way
// from a prompt to a result is to be shown without a model:
//
//	#!/bin/sh
//	exec warp agent demo-run --as-claude "$@"
const asClaude = "--as-claude"

// What it says it is. A model that has a price, so that budgets bind.
const (
	claudeVersion = "2.1.325 (Claude Code)"
	claudeModel   = "claude-opus-5"
	claudeInput   = 5 // micro-dollars a token
)

// claudeSays answers what is asked besides prompts.
func claudeSays(w io.Writer, args []string) bool {
	switch {
	case slices.Contains(args, "--version"):
		fmt.Fprintln(w, claudeVersion)
	case len(args) > 1 && args[0] == "auth" && args[1] == "status":
		fmt.Fprintln(w, `{"loggedIn":true,"authMethod":"demo"}`)
	default:
		return false
	}
	return true
}

// claudeOptions reads what matters here of Claude Code's arguments.
func claudeOptions(args []string) (o options) {
	for i := 0; i+1 < len(args); i++ {
		switch args[i] {
		case "--resume":
			o.resume = args[i+1]
		case "--max-turns":
			_, _ = fmt.Sscan(args[i+1], &o.maxTurns) // what is no number is no bound
		case "--tools":
			o.readOnly = !strings.Contains(args[i+1], "Write")
		}
	}
	return o
}

// translator prints the agent's lines as Claude Code's events.
type translator struct {
	out     io.Writer
	session string
	told    usage // in messages so far
	n       int   // messages
}

func (t *translator) print(l line) {
	if l.Session != "" && t.session == "" {
		t.session = l.Session
		t.event("system", map[string]any{"subtype": "init", "model": claudeModel})
	}
	switch l.Type {
	case typeText:
		t.message(usage{}, map[string]any{"type": "text", "text": l.Text})
	case typeTool:
		key := "command"
		if l.Tool != "bash" {
			key = "file_path"
		}
		name := strings.ToUpper(l.Tool[:1]) + l.Tool[1:]
		t.message(usage{}, map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", t.n), "name": name, "input": map[string]any{key: l.Input}})
	case typeUsage:
		t.spend(*l.Usage)
	case typeLimit:
		reset := time.Now().Add(span(l.RetryAfter)).Unix() + 1 // never too early
		t.event("rate_limit_event", map[string]any{"rate_limit_info": map[string]any{"status": "rejected", "resetsAt": reset, "rateLimitType": "five_hour"}})
		t.event("result", map[string]any{"subtype": "success", "is_error": true, "result": l.Text, "api_error_status": 429, "api_error": "usage_limit_reached"})
	case typeError:
		t.event("result", map[string]any{"subtype": "error_during_execution", "is_error": true, "errors": []string{l.Text}})
	case typeResult:
		t.result(l)
	}
}

func (t *translator) event(kind string, members map[string]any) {
	members["type"], members["session_id"] = kind, t.session
	enc := json.NewEncoder(t.out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(members)
}

func (t *translator) message(u usage, content ...map[string]any) {
	t.n++
	t.event("assistant", map[string]any{"parent_tool_use_id": nil, "message": map[string]any{
		"id": fmt.Sprintf("msg_%d", t.n), "role": "assistant", "model": claudeModel, "content": append([]map[string]any{}, content...),
		"usage": map[string]any{"input_tokens": u.Input, "output_tokens": u.Output},
	}})
}

// spend tells what a run has cost since the last time, in tokens: those alone are
// told while it runs.
func (t *translator) spend(u usage) {
	if extra := u.CostUSD - float64(u.Input*inputPrice+u.Output*outputPrice)/1e6; extra > 1 {
		u.Input += int64(extra * 1e6 / claudeInput)
	}
	t.message(usage{Input: max(u.Input-t.told.Input, 0), Output: max(u.Output-t.told.Output, 0)})
	t.told = u
}

func (t *translator) result(l line) {
	members := map[string]any{
		"subtype": "success", "is_error": false, "result": l.Text, "num_turns": l.Usage.Turns, "total_cost_usd": l.Usage.CostUSD, "stop_reason": "end_turn",
		"model_usage_since_last_result": map[string]any{claudeModel: map[string]any{"inputTokens": l.Usage.Input, "outputTokens": l.Usage.Output, "costUSD": l.Usage.CostUSD}},
	}
	if l.End == endMaxTurns {
		members["subtype"], members["is_error"] = "error_max_turns", true
	}
	if l.Result != nil {
		members["structured_output"] = l.Result
	}
	t.event("result", members)
}
