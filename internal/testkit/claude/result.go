package claude

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Result is what a run left.
type Result struct {
	Exit           int      // 128+signal when a signal ended it
	Result         *Outcome // nil when it did not come so far
	Events         []Event
	Stdout, Stderr string
	SessionID      string // "" when it did not come so far
}

// An Event is one line of the output.
type Event struct {
	Type    string
	Subtype string
	Raw     json.RawMessage
}

// An Outcome is the last event, by which a run says how it ended.
type Outcome struct {
	Subtype string
	// IsError is true also beside the subtype "success", after an error of the API.
	IsError        bool    `json:"is_error"`
	Text           string  `json:"result"`
	SessionID      string  `json:"session_id"`
	NumTurns       int     `json:"num_turns"`
	TotalCostUSD   float64 `json:"total_cost_usd"`
	TerminalReason string  `json:"terminal_reason"`
	APIErrorStatus int     `json:"api_error_status"`
	// Denials are the uses of tools that were not permitted.
	Denials []Denial `json:"permission_denials"`
}

// A Denial is one use of a tool that was not permitted.
type Denial struct {
	Tool  string         `json:"tool_name"`
	ID    string         `json:"tool_use_id"`
	Input map[string]any `json:"tool_input"`
}

// parse reads the events. The last line of a run that was killed may be torn.
func (r *Result) parse() error {
	lines := strings.SplitAfter(r.Stdout, "\n")
	for _, line := range lines {
		raw, whole := strings.CutSuffix(line, "\n")
		if !whole || raw == "" {
			continue
		}
		var head struct {
			Type, Subtype string
			SessionID     string `json:"session_id"`
		}
		if err := json.Unmarshal([]byte(raw), &head); err != nil {
			// What hooks and errors print is not made of events.
			continue
		}
		r.Events = append(r.Events, Event{head.Type, head.Subtype, json.RawMessage(raw)})
		if head.SessionID != "" {
			r.SessionID = head.SessionID
		}
		if head.Type == "result" {
			r.Result = &Outcome{}
			if err := json.Unmarshal([]byte(raw), r.Result); err != nil {
				return fmt.Errorf("reading how the run ended: %w in %s", err, raw)
			}
		}
	}
	return nil
}
