package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"warp/internal/adapter/agent/demo"
)

// Main plays Claude Code, in its arguments and its stream, so that the whole way from a
// prompt to a result can be shown without a model. It returns the exit code.
func Main(ctx context.Context, w demo.World, args []string) int {
	if claudeSays(w.Out, args) {
		return 0
	}
	w.Out = &translator{out: w.Out}
	return demo.Main(ctx, w, demoArgs(args))
}

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

// demoArgs are Claude Code's arguments, as far as they matter here, as the demo agent's.
func demoArgs(args []string) (out []string) {
	for i := 0; i+1 < len(args); i++ {
		switch args[i] {
		case "--resume", "--max-turns":
			out = append(out, args[i]+"="+args[i+1])
		case "--tools":
			if !strings.Contains(args[i+1], "Write") {
				out = append(out, "--read-only")
			}
		}
	}
	return out
}

// translator prints the agent's lines as Claude Code's events.
type translator struct {
	out     io.Writer
	session string
	told    demo.Usage // in messages so far
	n       int        // messages
}

// Write takes a line of the agent. What is none, it passes on as it is.
func (t *translator) Write(text []byte) (int, error) {
	var l demo.Line
	if json.Unmarshal(text, &l) != nil || l.Type == "" {
		return t.out.Write(text)
	}
	t.print(l)
	return len(text), nil
}

func (t *translator) print(l demo.Line) {
	if l.Session != "" && t.session == "" {
		t.session = l.Session
		t.event("system", map[string]any{"subtype": "init", "model": claudeModel})
	}
	switch l.Type {
	case "text":
		t.message(demo.Usage{}, map[string]any{"type": "text", "text": l.Text})
	case "tool":
		key := "command"
		if l.Tool != "bash" {
			key = "file_path"
		}
		name := strings.ToUpper(l.Tool[:1]) + l.Tool[1:]
		t.message(demo.Usage{}, map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", t.n), "name": name, "input": map[string]any{key: l.Input}})
	case "usage":
		t.spend(*l.Usage)
	case "limit":
		reset := time.Now().Add(time.Duration(l.RetryAfter*float64(time.Second))).Unix() + 1 // never too early
		t.event("rate_limit_event", map[string]any{"rate_limit_info": map[string]any{"status": "rejected", "resetsAt": reset, "rateLimitType": "five_hour"}})
		t.event("result", map[string]any{"subtype": "success", "is_error": true, "result": l.Text, "api_error_status": 429, "api_error": "usage_limit_reached"})
	case "error":
		t.event("result", map[string]any{"subtype": "error_during_execution", "is_error": true, "errors": []string{l.Text}})
	case "result":
		t.result(l)
	}
}

func (t *translator) event(kind string, members map[string]any) {
	members["type"], members["session_id"] = kind, t.session
	enc := json.NewEncoder(t.out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(members)
}

func (t *translator) message(u demo.Usage, content ...map[string]any) {
	t.n++
	t.event("assistant", map[string]any{"parent_tool_use_id": nil, "message": map[string]any{
		"id": fmt.Sprintf("msg_%d", t.n), "role": "assistant", "model": claudeModel, "content": append([]map[string]any{}, content...),
		"usage": map[string]any{"input_tokens": u.Input, "output_tokens": u.Output},
	}})
}

// spend tells what a run has cost since the last time, in tokens: those alone are
// told while it runs.
func (t *translator) spend(u demo.Usage) {
	if u.CostUSD > 1 { // more than its tokens ever cost: it overspends
		u.Input += int64(u.CostUSD * 1e6 / claudeInput)
	}
	t.message(demo.Usage{Input: max(u.Input-t.told.Input, 0), Output: max(u.Output-t.told.Output, 0)})
	t.told = u
}

func (t *translator) result(l demo.Line) {
	members := map[string]any{
		"subtype": "success", "is_error": false, "result": l.Text, "num_turns": l.Usage.Turns, "total_cost_usd": l.Usage.CostUSD, "stop_reason": "end_turn",
		"model_usage_since_last_result": map[string]any{claudeModel: map[string]any{"inputTokens": l.Usage.Input, "outputTokens": l.Usage.Output, "costUSD": l.Usage.CostUSD}},
	}
	if l.End == "max_turns" {
		members["subtype"], members["is_error"] = "error_max_turns", true
	}
	if l.Result != nil {
		members["structured_output"] = l.Result
	}
	t.event("result", members)
}
