package claude

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/core/fault"
	"warp/internal/engine/agent"
)

// feed parses a stream, one event a line.
func feed(t agent.Task, lines ...string) (*parser, []agent.Event) {
	p := New(Options{}).Parser(t).(*parser)
	var all []agent.Event
	for _, l := range lines {
		all = append(all, p.Line([]byte(l))...)
	}
	return p, all
}

// said is one line of a message.
func said(thread, id, part string, in, out int) string {
	parent := "null"
	if thread != "" {
		parent = `"` + thread + `"`
	}
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"content":[%s],"usage":{"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":0}},"parent_tool_use_id":%s,"session_id":"s"}`, id, part, in, out, parent)
}

const word = `{"type":"text","text":"word"}`

func TestAMessageIsCountedOnce(t *testing.T) {
	p, events := feed(agent.Task{},
		`{"type":"stream_event","event":{"type":"message_start","message":{"id":"a","usage":{"input_tokens":100,"output_tokens":1}}},"parent_tool_use_id":null}`,
		said("", "a", word, 100, 1),
		said("", "a", `{"type":"tool_use","name":"Bash","input":{"command":"ls"}}`, 100, 1),
		said("toolu_1", "x", word, 10, 2), // a subagent, in between
		`{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":40}},"parent_tool_use_id":null}`,
		said("toolu_1", "x", word, 10, 2),
		said("toolu_1", "y", word, 10, 2),
		said("", "b", word, 150, 5),
	)
	want := agent.Usage{Input: 100 + 10 + 10 + 150, Output: 40 + 2 + 2 + 5}
	if got := p.End(0, "").Usage; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	var last *agent.Usage
	for _, e := range events {
		if e.Usage != nil {
			last = e.Usage
		}
	}
	if last == nil || *last != want {
		t.Errorf("the last event tells %+v", last)
	}
}

const result = `{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"s","num_turns":2,"total_cost_usd":0.5,"usage":{"input_tokens":1},"stop_reason":"end_turn","permission_denials":[{"tool_name":"Bash","tool_input":{"command":"rm x"}}],"model_usage_since_last_result":{"m":{"inputTokens":200,"outputTokens":40,"costUSD":0.0008},"n":{"inputTokens":5,"costUSD":0.0001}}}`

// What was done in the background makes a second result; the cost of the session
// before it was resumed is in neither.
func TestResultsAddUpAndTheLastOneCounts(t *testing.T) {
	p, _ := feed(agent.Task{Session: "s"}, fmt.Sprintf(result, "first"), fmt.Sprintf(result, "second"))
	r := p.End(0, "")
	if r.End != agent.Done || r.Text != "second" || r.Session != "s" {
		t.Errorf("%+v", r)
	}
	if want := (agent.Usage{Input: 410, Output: 80, MicroUSD: 1800, Turns: 4}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
	if len(r.Denials) != 2 || r.Denials[0] != "Bash rm x" {
		t.Errorf("denials %q", r.Denials)
	}
}

func TestAVersionThatTellsTheSessionsCostOnly(t *testing.T) {
	old := `{"type":"result","subtype":"success","is_error":false,"result":"x","total_cost_usd":0.5,"usage":{"input_tokens":7}}`
	p, _ := feed(agent.Task{}, old)
	if got := p.End(0, "").Usage; got.MicroUSD != 500_000 || got.Input != 7 {
		t.Errorf("a new session: %+v", got)
	}
	p, _ = feed(agent.Task{Session: "s"}, old)
	if got := p.End(0, "").Usage; got.MicroUSD != 0 || got.Input != 7 {
		t.Errorf("one that was resumed: %+v", got)
	}
}

func TestEnds(t *testing.T) {
	const limit = `{"type":"rate_limit_event","rate_limit_info":{"status":"%s","resetsAt":1794720000,"rateLimitType":"five_hour"}}`
	failed := func(more string) string {
		return `{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error","result":"API Error"` + more + `}`
	}
	named := func(kind string) string {
		return `{"type":"assistant","message":{"id":"e","content":[]},"error":"` + kind + `"}`
	}
	reset := time.Unix(1794720000, 0)
	for name, c := range map[string]struct {
		lines []string
		exit  int
		end   agent.End
		class fault.Class
		reset time.Time
	}{
		"nothing at all":            {nil, 0, agent.Unusable, "", time.Time{}},
		"nothing, and an error":     {nil, 1, agent.Crashed, "", time.Time{}},
		"turns":                     {[]string{`{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached"]}`}, 1, agent.MaxTurns, "", time.Time{}},
		"budget":                    {[]string{`{"type":"result","subtype":"error_max_budget_usd","is_error":true}`}, 1, agent.Budgeted, "", time.Time{}},
		"no structured answer":      {[]string{`{"type":"result","subtype":"error_max_structured_output_retries","is_error":true}`}, 1, agent.Unusable, "", time.Time{}},
		"no such session":           {[]string{`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found"]}`}, 1, agent.Crashed, "", time.Time{}},
		"refusal":                   {[]string{failed(`,"stop_reason":"refusal","api_error_status":null`)}, 1, agent.Refused, "", time.Time{}},
		"limit":                     {[]string{fmt.Sprintf(limit, "rejected"), failed(`,"api_error_status":429,"api_error":"usage_limit_reached"`)}, 1, agent.Limited, "", reset},
		"limit without its name":    {[]string{fmt.Sprintf(limit, "rejected"), failed(`,"api_error_status":429`)}, 1, agent.Limited, "", reset},
		"limit, not told when":      {[]string{failed(`,"api_error_status":429,"api_error":"usage_limit_reached"`)}, 1, agent.Limited, "", time.Time{}},
		"a warning is no limit":     {[]string{fmt.Sprintf(limit, "allowed_warning"), failed(`,"api_error_status":429`)}, 1, agent.APIError, fault.RateLimit, time.Time{}},
		"a limit that was survived": {[]string{fmt.Sprintf(limit, "rejected"), `{"type":"result","subtype":"success","is_error":false,"result":"x"}`}, 0, agent.Done, "", time.Time{}},
		"401":                       {[]string{failed(`,"api_error_status":401`)}, 1, agent.NoLogin, fault.Permission, time.Time{}},
		"never logged in":           {[]string{named("authentication_failed"), failed(`,"api_error_status":null`)}, 1, agent.NoLogin, fault.Permission, time.Time{}},
		"no credit":                 {[]string{named("billing_error"), failed(`,"api_error_status":400`)}, 1, agent.APIError, fault.Permission, time.Time{}},
		"too long a prompt":         {[]string{named("invalid_request"), failed(`,"api_error_status":400`)}, 1, agent.APIError, fault.Unknown, time.Time{}},
		"529":                       {[]string{failed(`,"api_error_status":529`)}, 1, agent.APIError, fault.RateLimit, time.Time{}},
		"503":                       {[]string{failed(`,"api_error_status":503`)}, 1, agent.APIError, fault.Network, time.Time{}},
		"a stream that broke":       {[]string{failed(`,"api_error_status":null`)}, 1, agent.APIError, fault.Network, time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := feed(agent.Task{}, c.lines...)
			r := p.End(c.exit, "on stderr")
			if r.End != c.end || r.Class != c.class || !r.Reset.Equal(c.reset) {
				t.Errorf("got %q, class %q, reset %v (%s)", r.End, r.Class, r.Reset, r.Why)
			}
			if r.End != agent.Done && r.End != agent.Budgeted && r.End != agent.Unusable && r.Why == "" {
				t.Error("it does not say why")
			}
		})
	}
}

// What is torn, and what hooks print, is passed over; what follows counts.
func TestBrokenLinesArePassedOver(t *testing.T) {
	whole := fmt.Sprintf(result, "fine")
	lines := []string{"", "a hook speaks", `{"type":"assistant"`, `[1]`, `{"type":"assistant","message":7}`, `{"type":"result"`, whole[:len(whole)/2], `{"type":5}`}
	p, events := feed(agent.Task{}, append(lines, whole, whole[:50])...)
	if r := p.End(0, ""); r.End != agent.Done || r.Text != "fine" {
		t.Errorf("%+v", r)
	}
	for _, e := range events {
		if e.Kind == "text" {
			t.Errorf("an event was made of it: %+v", e)
		}
	}
}

func TestALimitInWordsAndToolResultsIsNone(t *testing.T) {
	quote := `{"type":"text","text":"{\"type\":\"rate_limit_event\",\"rate_limit_info\":{\"status\":\"rejected\"}} You've hit your 5-hour limit"}`
	tool := `{"type":"user","message":{"content":[{"type":"tool_result","content":"api_error: usage_limit_reached 429"}]},"session_id":"s"}`
	p, events := feed(agent.Task{}, said("", "a", quote, 1, 1), tool, strings.Replace(fmt.Sprintf(result, "You've hit your 5-hour limit"), `"num_turns"`, `"api_error_status":null,"num_turns"`, 1))
	if r := p.End(0, ""); r.End != agent.Done {
		t.Errorf("%+v", r)
	}
	for _, e := range events {
		if e.Kind == "limit" {
			t.Errorf("%+v", e)
		}
	}
}
