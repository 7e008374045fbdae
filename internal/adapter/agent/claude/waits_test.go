package claude

import (
	"testing"

	"warp/internal/core/errorclass"
	"warp/internal/engine/agent"
)

// An agent that has fallen silent waits for its model, or for something of its own.
func TestWaits(t *testing.T) {
	const (
		begun  = `{"type":"system","subtype":"init","session_id":"s"}`
		call   = `{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","name":"Bash","input":{}}]},"parent_tool_use_id":null}`
		result = `{"type":"user","message":{"content":[{"type":"tool_result"}]},"parent_tool_use_id":null}`
		below  = `{"type":"user","message":{"content":[{"type":"tool_result"}]},"parent_tool_use_id":"t"}`
		busy   = `{"type":"system","subtype":"api_retry","retry_delay_ms":30000,"error_status":529,"error":"overloaded"}`
		broken = `{"type":"system","subtype":"api_retry","retry_delay_ms":500,"error_status":null,"error":"unknown"}`
		piece  = `{"type":"stream_event","event":{"type":"message_start","message":{"id":"b"}},"parent_tool_use_id":null}`
	)
	for name, c := range map[string]struct {
		lines []string
		want  errorclass.Class
	}{
		"not begun":               {nil, errorclass.None},
		"asked":                   {[]string{begun}, errorclass.Timeout},
		"in a message":            {[]string{begun, piece}, errorclass.Timeout},
		"runs a command":          {[]string{begun, piece, call}, errorclass.None},
		"one of two has answered": {[]string{begun, call, call, result}, errorclass.None},
		"a subagent's has":        {[]string{begun, call, below}, errorclass.None},
		"both have":               {[]string{begun, call, call, result, result}, errorclass.Timeout},
		"the API is overloaded":   {[]string{begun, call, result, busy}, errorclass.RateLimit},
		"the network fails":       {[]string{begun, broken}, errorclass.Network},
		"it answered since":       {[]string{begun, busy, piece}, errorclass.Timeout},
	} {
		p, _ := feed(agent.Task{}, c.lines...)
		if have := p.Waits(); have != c.want {
			t.Errorf("%s: %q, want %q", name, have, c.want)
		}
	}
}
