package agentcmd

import (
	"encoding/json"
	"fmt"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/engine/agent"
)

// The lines of --json: the field type distinguishes them.
type (
	usageView struct {
		Input      int64        `json:"input_tokens"`
		Output     int64        `json:"output_tokens"`
		CacheRead  int64        `json:"cache_read_tokens"`
		CacheWrite int64        `json:"cache_write_tokens"`
		CostUSD    *json.Number `json:"cost_usd"` // null: not known
		Model      string       `json:"model,omitempty"`
		Turns      int          `json:"turns"`
	}
	happening struct {
		Type  string     `json:"type"` // event
		Agent string     `json:"agent"`
		Kind  string     `json:"kind"`
		Text  string     `json:"text,omitempty"`
		Tool  string     `json:"tool,omitempty"`
		Usage *usageView `json:"usage,omitempty"`
		Reset string     `json:"reset,omitempty"`
	}
	waitView struct {
		Type  string `json:"type"` // wait
		Until string `json:"until"`
		Why   string `json:"why"`
	}
	endedView struct {
		Type string `json:"type"` // ended
		agent.Left
	}
	resultView struct {
		Type       string          `json:"type"` // result
		Agent      string          `json:"agent"`
		End        agent.End       `json:"end"`
		Why        string          `json:"why,omitempty"`
		Do         string          `json:"do,omitempty"`
		Text       string          `json:"text,omitempty"`
		Result     json.RawMessage `json:"result"` // null: none that is valid
		Invalid    string          `json:"invalid,omitempty"`
		Session    string          `json:"session,omitempty"`
		Usage      *usageView      `json:"usage"`
		Denials    []string        `json:"denials,omitempty"`
		Exit       int             `json:"exit"`
		Class      string          `json:"class,omitempty"`
		Reset      string          `json:"reset,omitempty"`
		Orphans    int             `json:"orphans,omitempty"`
		Log        string          `json:"log,omitempty"`
		DurationMS int64           `json:"duration_ms"`
	}
)

func viewUsage(u *agent.Usage) *usageView {
	if u == nil {
		return nil
	}
	v := &usageView{u.Input, u.Output, u.CacheRead, u.CacheWrite, nil, u.Model, u.Turns}
	if u.Priced {
		cost := json.Number(fmt.Sprintf("%d.%06d", u.MicroUSD/1e6, u.MicroUSD%1e6))
		v.CostUSD = &cost
	}
	return v
}

func eventView(name string, e agent.Event) happening {
	v := happening{Type: "event", Agent: name, Kind: e.Kind, Text: e.Text, Tool: e.Tool, Usage: viewUsage(e.Usage)}
	if e.Reset != nil {
		v.Reset = e.Reset.UTC().Format(time.RFC3339)
	}
	return v
}

func viewResult(r agent.Result, do string) resultView {
	v := resultView{Type: "result", Agent: r.Agent, End: r.End, Why: r.Why, Do: do, Text: r.Text, Invalid: r.Invalid, Session: r.Session,
		Usage: viewUsage(&r.Usage), Denials: r.Denials, Exit: r.Exit, Class: string(r.Class), Orphans: r.Orphans, Log: r.Log, DurationMS: r.Duration.Milliseconds()}
	if r.JSON != nil {
		v.Result = lossless.AppendCompact(nil, r.JSON)
	}
	if !r.Reset.IsZero() {
		v.Reset = r.Reset.UTC().Format(time.RFC3339)
	}
	return v
}
