// Package otlp sends what drives, sessions and their agents did to an OpenTelemetry collector: a
// trace per drive or session, a span per phase and agent run, and the metrics of package
// monitor.
//
// It builds spans from the journal afterwards, so they cost the engine nothing. Their IDs are
// derived from their content: a drive that was killed and resumed is one trace, and a span sent
// twice (after a crash between sending and recording it) is the same span. The OpenTelemetry SDK
// is made for programs that instrument themselves while running, with generated IDs; only its
// wire format is used here.
package otlp

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/ui/feed"
)

// finished is a span that has ended.
type finished struct {
	*trace.Span
	end time.Time
}

// key identifies a sent span. If a drive is resumed after its end, its span is sent again, with
// the same ID and a new end.
func (s finished) key() string { return fmt.Sprintf("%x-%x", s.SpanId, s.EndTimeUnixNano) }

// longestRun bounds the duration that a row may claim.
const longestRun = 10 * 365 * 24 * time.Hour

// spansOf returns the spans that ended since a time, earliest first for each item.
func spansOf(f *feed.Feed, since time.Time, content bool) (list []finished) {
	for _, i := range f.Items {
		if i.State.Over() && i.Ended.Before(since) {
			continue
		}
		for _, s := range newTracer(i, content).spans(f) {
			if !s.end.Before(since) {
				list = append(list, s)
			}
		}
	}
	return list
}

// tracer builds the spans of one item.
type tracer struct {
	item    feed.Item
	id      []byte // trace ID
	content bool
	seen    map[string]int
}

func newTracer(i feed.Item, content bool) *tracer {
	return &tracer{item: i, id: digest("trace", i.Identity())[:16], content: content, seen: map[string]int{}}
}

func digest(kind, name string) []byte {
	sum := sha256.Sum256([]byte("warp " + kind + " " + name))
	return sum[:]
}

// spanID derives an ID, different for repeated names.
func (t *tracer) spanID(kind, name string) []byte {
	t.seen[kind+name]++
	return digest(kind, fmt.Sprintf("%s %s %d", t.item.Identity(), name, t.seen[kind+name]))[:8]
}

func (t *tracer) spans(f *feed.Feed) (list []finished) {
	root := t.spanID("root", "")
	stays := f.StaysOf(t.item)
	ids := make([][]byte, len(stays))
	for n, s := range stays {
		ids[n] = t.spanID("phase", fmt.Sprintf("%s %d", s.Phase, s.From.UnixMilli()))
		if !s.To.IsZero() {
			list = append(list, t.span(ids[n], root, string(s.Phase), s.From, s.To, text("warp.phase", string(s.Phase))))
		}
	}
	for _, e := range f.RunsOf(t.item) {
		end, err := time.Parse(time.RFC3339, e.At)
		if err != nil {
			continue
		}
		start := end.Add(-time.Duration(min(e.Row.Seconds, longestRun.Seconds()) * float64(time.Second)))
		id := t.spanID("run", fmt.Sprintf("%s %s %s %s %d", e.At, e.Row.Role, e.Row.Phase, e.Row.Session, e.Row.Chunk))
		s := t.span(id, parent(e.Row, start, stays, ids, root), "invoke_agent "+cmp.Or(e.Row.Agent, "unknown"), start, end, t.describeRun(e.Row)...)
		if e.Row.End != string(agent.Done) {
			s.Status = &trace.Status{Code: trace.Status_STATUS_CODE_ERROR}
		}
		list = append(list, s)
	}
	if t.item.State.Over() && !t.item.Started.IsZero() {
		s := t.span(root, nil, string(t.item.Kind)+" "+t.item.Name, t.item.Started, t.item.Ended, t.describeItem()...)
		if t.item.State == feed.Failed {
			s.Status = &trace.Status{Code: trace.Status_STATUS_CODE_ERROR}
		}
		list = append(list, s)
	}
	return list
}

// parent returns the span of the phase in which a run began, by name and time, else by time,
// else the root.
func parent(r evidence.Run, start time.Time, stays []feed.Stay, ids [][]byte, root []byte) []byte {
	found := root
	for n, s := range stays {
		if start.Before(s.From) || !s.To.IsZero() && start.After(s.To) {
			continue
		}
		if string(s.Phase) == r.Phase {
			return ids[n]
		}
		found = ids[n]
	}
	return found
}

func (t *tracer) span(id, above []byte, name string, from, to time.Time, attributes ...*common.KeyValue) finished {
	if to.Before(from) { // the clock was set back
		to = from
	}
	return finished{&trace.Span{TraceId: t.id, SpanId: id, ParentSpanId: above, Name: cleanText(name, shortest), Kind: trace.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: nanos(from), EndTimeUnixNano: nanos(to), Attributes: attributes}, to}
}

func (t *tracer) describeItem() []*common.KeyValue {
	i := t.item
	list := []*common.KeyValue{text("warp.kind", string(i.Kind)), text("warp.state", string(i.State)), number("warp.runs", int64(i.Cost.Runs)), dollars(i.Cost.MicroUSD)}
	list = appendText(list, "warp.issue", i.Issue)
	list = appendText(list, "warp.end", i.Result)
	if i.Criteria != nil {
		list = append(list, number("warp.criteria.met", int64(i.Criteria.Met)), number("warp.criteria.total", int64(i.Criteria.Total)))
	}
	if t.content {
		list = appendText(list, "warp.title", i.Title)
	}
	return list
}

// providers maps agents to provider names of the semantic conventions.
var providers = map[string]string{"claude": "anthropic", "codex": "openai", "gemini": "gcp.gemini"}

// describeRun describes a run by the semantic conventions for generative AI, in which cached
// tokens are part of the input.
func (t *tracer) describeRun(r evidence.Run) []*common.KeyValue {
	list := []*common.KeyValue{
		text("gen_ai.operation.name", "invoke_agent"),
		text("gen_ai.agent.name", r.Agent),
		number("gen_ai.usage.input_tokens", r.Input+r.CacheRead+r.CacheWrite),
		number("gen_ai.usage.output_tokens", r.Output),
		number("gen_ai.usage.cache_read.input_tokens", r.CacheRead),
		number("gen_ai.usage.cache_creation.input_tokens", r.CacheWrite),
		text("warp.role", r.Role), text("warp.end", r.End), dollars(r.MicroUSD),
	}
	list = appendText(list, "gen_ai.provider.name", providers[r.Agent])
	list = appendText(list, "gen_ai.request.model", r.Model)
	list = appendText(list, "gen_ai.conversation.id", r.Session)
	list = appendText(list, "warp.phase", r.Phase)
	if r.Chunk > 0 {
		list = append(list, number("warp.chunk", int64(r.Chunk)))
	}
	if r.End != string(agent.Done) {
		list = append(list, text("error.type", r.End))
	}
	if t.content {
		if r.Summary != "" {
			list = append(list, stringAttribute("gen_ai.output.messages", message(cleanText(r.Summary, longest))))
		}
		list = appendText(list, "warp.why", r.Why)
	}
	return list
}

// message encodes an agent's answer by the semantic conventions.
func message(said string) string {
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type words struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	encoded, _ := json.Marshal([]words{{"assistant", []part{{"text", said}}}}) // strings never fail
	return string(encoded)
}
