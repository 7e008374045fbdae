package demo

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
)

// maxDenials limits what a stream can make the parser keep.
const maxDenials = 1000

// longestLimit caps the duration of a usage limit.
const longestLimit = 7 * 24 * time.Hour

// parser parses the output of one run.
type parser struct {
	now     func() time.Time
	session string
	usage   agent.Usage
	last    string // the last text
	denials []string
	limit   *Line
	reset   time.Time
	fail    *Line
	result  *Line
}

// Line ignores everything that is not a line of this agent: noise, other programs' output, half a
// line from a crash.
func (p *parser) Line(text []byte) []agent.Event {
	var l Line
	if json.Unmarshal(text, &l) != nil {
		return nil
	}
	events := p.take(l)
	for i := range events {
		events[i].Session = l.Session
	}
	return events
}

func (p *parser) take(l Line) []agent.Event {
	if l.Session != "" {
		p.session = l.Session
	}
	so := p.spend(l.Usage)
	switch l.Type {
	case typeText:
		p.last = l.Text
		return []agent.Event{{Kind: "text", Text: l.Text}}
	case typeTool:
		if l.Denied && len(p.denials) < maxDenials {
			p.denials = append(p.denials, strings.TrimSpace(l.Tool+" "+l.Input))
		}
		return []agent.Event{{Kind: "tool", Tool: l.Tool, Text: l.Input}}
	case typeUsage:
		return []agent.Event{{Kind: "usage", Usage: so}}
	case typeLimit:
		p.limit = &l
		e := agent.Event{Kind: "limit", Text: l.Text}
		if l.RetryAfter > 0 {
			p.reset = p.now().Add(time.Duration(min(l.RetryAfter, longestLimit.Seconds()) * float64(time.Second)))
			e.Reset = &p.reset
		}
		return []agent.Event{e}
	case typeResult:
		p.result = &l
		return []agent.Event{{Kind: "result", Text: l.Text, Usage: so}}
	case typeError:
		p.fail = &l
		return []agent.Event{{Kind: "note", Text: l.Text}}
	}
	return nil
}

// spend adds a usage report. Totals never fall: no later line makes a run cheaper.
func (p *parser) spend(u *Usage) *agent.Usage {
	if u == nil {
		return nil
	}
	p.usage.Priced = true
	p.usage.Input = max(p.usage.Input, u.Input)
	p.usage.Output = max(p.usage.Output, u.Output)
	p.usage.MicroUSD = max(p.usage.MicroUSD, toMicroUSD(u.CostUSD))
	p.usage.Turns = max(p.usage.Turns, u.Turns)
	so := p.usage
	return &so
}

// toMicroUSD converts dollars to micro-dollars. It caps what does not fit at a value that exceeds
// every budget.
func toMicroUSD(usd float64) int64 {
	if m := math.Round(usd * 1e6); m < math.MaxInt64/2 {
		return int64(m)
	}
	return math.MaxInt64 / 2
}

// End accepts only a result line as an answer, and only from a process that exited with 0.
func (p *parser) End(exit int, stderr string) agent.Result {
	r := agent.Result{Text: p.last, Session: p.session, Usage: p.usage, Denials: p.denials}
	r.Usage.Priced = true // every call reports its cost, so what is missing was not spent
	switch {
	case p.result != nil && exit == 0:
		p.answered(&r)
	case p.fail != nil:
		r.End, r.Why = agent.Crashed, p.fail.Text
	case p.limit != nil && p.result == nil:
		r.End, r.Reset, r.Why = agent.Limited, p.reset, p.limit.Text
	case exit != 0:
		r.End, r.Why = agent.Crashed, fmt.Sprintf("it ended with exit code %d%s", exit, agent.LastWords(stderr))
	default:
		r.End, r.Why = agent.Unusable, "it ended without a result"+agent.LastWords(stderr)
	}
	return r
}

func (p *parser) answered(r *agent.Result) {
	r.Text = p.result.Text
	switch p.result.End {
	case endDone:
		r.End = agent.Done
		if v, err := lossless.Parse(p.result.Result); err == nil {
			r.JSON = v
		}
	case endMaxTurns:
		r.End, r.Why = agent.MaxTurns, "the turns are used up"
	default:
		r.End, r.Why = agent.Unusable, fmt.Sprintf("its result ends with %q, which means nothing", p.result.End)
	}
}

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
