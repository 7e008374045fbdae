package demo

import (
	"encoding/json"
	"io"
)

// The types of a line. Readers ignore lines of other types.
const (
	typeText   = "text"   // text from the agent
	typeTool   = "tool"   // a tool call, before it happens
	typeUsage  = "usage"  // the cost of the run so far
	typeLimit  = "limit"  // a usage limit; the last line
	typeResult = "result" // the answer; the last line
	typeError  = "error"  // an error; the last line
)

// The ends of a result.
const (
	endDone     = "done"
	endMaxTurns = "max_turns"
)

// Line is one line of the agent's output: a JSON object. The first line carries the session, so that
// a run cut short can be resumed too.
type Line struct {
	Type    string `json:"type"`
	Session string `json:"session,omitempty"`

	Text string `json:"text,omitempty"` // text, result, limit, error

	Tool   string `json:"tool,omitempty"` // tool
	Input  string `json:"input,omitempty"`
	Denied bool   `json:"denied,omitempty"`

	Usage *Usage `json:"usage,omitempty"` // usage, result: total so far

	// RetryAfter is how many seconds a limit lasts. It is a duration, not a time of day, because the
	// same input must give the same bytes at any time.
	RetryAfter float64 `json:"retry_after,omitempty"`

	End    string          `json:"end,omitempty"` // result
	Result json.RawMessage `json:"result,omitempty"`
}

type Usage struct {
	Input   int64   `json:"input_tokens"`
	Output  int64   `json:"output_tokens"`
	CostUSD float64 `json:"cost_usd"`
	Turns   int     `json:"turns"`
}

// write prints a line. It ignores errors: without an output the agent ends soon enough.
func write(w io.Writer, l Line) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(l)
}
