package agentcmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// maxLine is the most runes of an event's text on a line.
const maxLine = 500

// screen shows a run in progress, one line per event, as text or JSON.
type screen struct {
	app    *app.App
	json   bool
	silent bool // do not show events
	unset  bool // the settings are unreadable: use the defaults
}

// runner returns a runner whose events this screen shows.
func (s *screen) runner(a *app.App, d *turnstile.Drive, chain []agent.Adapter) (*agent.Runner, error) {
	settings := d.Project.Settings
	if s.unset {
		settings = func() (config.Settings, error) { return config.Parse(nil) }
	}
	r, err := runnerFor(a, d, chain, settings)
	if err != nil {
		return nil, err
	}
	r.Watch = s.event
	wait := r.Wait
	r.Wait = func(ctx context.Context, until time.Time, why string) error {
		s.wait(until, why)
		return wait(ctx, until, why)
	}
	return r, nil
}

func (s *screen) event(name string, e agent.Event) {
	switch {
	case s.json:
		s.print(eventView(name, e))
	case !s.silent:
		if text := eventText(e); text != "" {
			s.line(e.Kind, text)
		}
	}
}

func eventText(e agent.Event) string {
	switch {
	case e.Kind == "tool":
		return strings.TrimSpace(e.Tool + " " + e.Text)
	case e.Kind == "usage" && e.Usage != nil:
		return formatUsage(*e.Usage)
	case e.Kind == "limit" && e.Reset != nil:
		return e.Text + ", until " + clock(*e.Reset)
	case e.Kind == "result":
		return "" // printed in full at the end
	}
	return e.Text
}

func formatUsage(u agent.Usage) string {
	return fmt.Sprintf("%d tokens, %s", u.Tokens(), formatCost(u))
}

// formatCost formats the cost, and never shows an unknown one as zero.
func formatCost(u agent.Usage) string {
	switch {
	case u.Priced:
		return dollars(u.MicroUSD)
	case u.MicroUSD > 0:
		return "at least " + dollars(u.MicroUSD)
	}
	return "cost unknown"
}

func dollars(micro int64) string { return fmt.Sprintf("$%.4f", float64(micro)/1e6) }

func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

func (s *screen) wait(until time.Time, why string) {
	if s.json {
		s.print(waitView{"wait", until.UTC().Format(time.RFC3339), why})
		return
	}
	s.line("wait", fmt.Sprintf("until %s (%s)", clock(until), why))
}

func (s *screen) ended(l agent.Left) {
	if s.json {
		s.print(endedView{"ended", l})
		return
	}
	s.app.Note("ended a leftover agent: %s (pid %d, role %s, since %s)", l.Agent, l.PID, l.Role, render.Seconds(l.Started))
}

// colours distinguish kinds of events.
var colours = map[string]string{"text": "0", "thinking": "2", "tool": "36", "usage": "2", "limit": "33", "wait": "33", "note": "31", "done": "32"}

// line prints one line, even if the text has line breaks or control characters.
func (s *screen) line(kind, words string) {
	words = strings.ReplaceAll(render.Printable(words), "\n", `\n`)
	if first, more := text.FirstRunes(words, maxLine); more > 0 {
		words = fmt.Sprintf("%s… (%d more)", first, more)
	}
	head := fmt.Sprintf("%-8s", render.Printable(kind))
	if colour, ok := colours[kind]; ok && s.app.Color {
		head = "\x1b[" + colour + "m" + head + "\x1b[0m"
	}
	s.app.Printf("%s %s\n", head, words)
}

// print writes one line of JSON.
func (s *screen) print(x any) {
	enc := json.NewEncoder(s.app.Out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(x) // the output's owner notices errors
}

// The lines of --json, distinguished by the field type.
type (
	usageView struct {
		Input      int64        `json:"input_tokens"`
		Output     int64        `json:"output_tokens"`
		CacheRead  int64        `json:"cache_read_tokens"`
		CacheWrite int64        `json:"cache_write_tokens"`
		CostUSD    *json.Number `json:"cost_usd"` // null: unknown
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
		Result     json.RawMessage `json:"result"` // null: no valid one
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
