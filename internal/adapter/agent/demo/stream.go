package demo

import (
	"encoding/json"
	"io"
)

// The types of a line. A line of another type is passed over by who reads it.
const (
	typeText   = "text"   // what the agent says
	typeTool   = "tool"   // a call of a tool, before it happens
	typeUsage  = "usage"  // what the run has cost so far
	typeLimit  = "limit"  // a usage limit: nothing more comes
	typeResult = "result" // the answer: nothing more comes
	typeError  = "error"  // what went wrong: nothing more comes
)

// The ends of a result.
const (
	endDone     = "done"
	endRefused  = "refused"
	endMaxTurns = "max_turns"
)

// Line is one line of the agent's output: a JSON object. Any may carry the
// session, the first one does: a run that is cut short can be resumed as well.
type Line struct {
	Type    string `json:"type"`
	Session string `json:"session,omitempty"`

	Text string `json:"text,omitempty"` // text, result, limit, error

	Tool   string `json:"tool,omitempty"` // tool
	Input  string `json:"input,omitempty"`
	Denied bool   `json:"denied,omitempty"`

	Usage *Usage `json:"usage,omitempty"` // usage, result: all of the run so far

	// RetryAfter is how many seconds a limit lasts. It is a span, not a time of
	// day, because the same input is to give the same bytes at any time.
	RetryAfter float64 `json:"retry_after,omitempty"`

	End    string          `json:"end,omitempty"` // result
	Result json.RawMessage `json:"result,omitempty"`

	Class string `json:"class,omitempty"` // error: of the interface; "": the agent's own
}

type Usage struct {
	Input   int64   `json:"input_tokens"`
	Output  int64   `json:"output_tokens"`
	CostUSD float64 `json:"cost_usd"`
	Turns   int     `json:"turns"`
}

// write prints a line. An output that is gone is nothing to the agent: it ends
// soon enough.
func write(w io.Writer, l Line) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(l)
}
