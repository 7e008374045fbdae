package otlp

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/otelenv"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// collector receives what is sent. Its answer can be changed.
type collector struct {
	*testing.T
	bodies [][]byte
	kinds  []string
	header http.Header
	answer int
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err == nil && r.Header.Get("Content-Encoding") == "gzip" {
		var z *gzip.Reader
		if z, err = gzip.NewReader(bytes.NewReader(body)); err == nil {
			body, err = io.ReadAll(z)
		}
	}
	if err != nil {
		c.Error(err)
	}
	c.bodies, c.kinds, c.header = append(c.bodies, body), append(c.kinds, r.URL.Path+" "+r.Header.Get("Content-Type")), r.Header
	w.WriteHeader(c.answer)
}

func (c *collector) spans() (list []*trace.Span) {
	for n, body := range c.bodies {
		if !strings.HasPrefix(c.kinds[n], "/v1/traces") {
			continue
		}
		var data trace.TracesData
		if err := proto.Unmarshal(body, &data); err != nil {
			c.Fatal(err)
		}
		list = append(list, data.ResourceSpans[0].ScopeSpans[0].Spans...)
	}
	return list
}

// night is a project in which a drive runs, and an exporter beside it.
type night struct {
	*testing.T
	*Exporter
	drive *turnstile.Drive
	env   turnstile.Env
	now   time.Time
	said  []string
	state string
}

func newNight(t *testing.T, settings otelenv.Settings) *night {
	t.Helper()
	n := &night{T: t, env: turnstile.System(), now: time.Date(2026, 11, 14, 22, 0, 0, 0, time.UTC), state: t.TempDir()}
	n.env.Now = func() time.Time { return n.now }
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".claude"), 0o755); err != nil {
		t.Fatal(err)
	}
	n.drive = turnstile.Open(dir, n.env)
	if _, err := n.drive.Init(t.Context(), turnstile.Start{Level: 3, Issue: "7", PID: os.Getpid(), Headless: true}); err != nil {
		t.Fatal(err)
	}
	n.restart(settings)
	return n
}

// restart is another process that exports.
func (n *night) restart(settings otelenv.Settings) {
	n.Helper()
	cursor, err := OpenCursor(n.state, "home", "address", n.now)
	if err != nil {
		n.Fatal(err)
	}
	n.Exporter = &Exporter{Settings: settings, Cursor: cursor, Source: Source{"project", "home", "1"}, Now: n.env.Now, Say: func(s string) { n.said = append(n.said, s) }}
	if err := n.open(); err != nil {
		n.Fatal(err)
	}
}

func (n *night) epoch() int64 {
	v, err := n.drive.Read()
	if err != nil {
		n.Fatal(err)
	}
	return v.State.Session.StartedAtEpoch
}

func (n *night) ran(role string) {
	n.Helper()
	n.now = n.now.Add(time.Minute)
	row := evidence.Run{Issue: "7", Epoch: n.epoch(), Role: role, Agent: "claude", Model: "m", Phase: "prerequisites", End: "done", Input: 10, CacheRead: 5, Output: 3, MicroUSD: 2_000_000,
		Seconds: 30, Summary: "private words", Why: "private reason", Hooks: &evidence.Hooks{Events: []evidence.HookTimes{{Event: "PreToolUse", Seconds: 7, Buckets: []int{2, 0, 1}}}}}
	if err := n.drive.Store().Append(event.Run, row); err != nil {
		n.Fatal(err)
	}
}

func (n *night) exportNow() {
	n.Helper()
	f, err := feed.Read(n.drive, n.env)
	if err != nil {
		n.Fatal(err)
	}
	n.export(n.Context(), f)
}

func targets(url string, change func(*otelenv.Target)) otelenv.Settings {
	t := otelenv.Target{URL: url + "/v1/traces", Timeout: 10 * time.Second, Headers: map[string]string{"Api-Key": "k"}}
	if change != nil {
		change(&t)
	}
	return otelenv.Settings{Service: "warp", Traces: &t, Interval: time.Hour}
}

func attributes(s *trace.Span) map[string]string {
	list := map[string]string{}
	for _, a := range s.Attributes {
		if list[a.Key] = a.Value.GetStringValue(); list[a.Key] == "" {
			list[a.Key] = a.Value.String()
		}
	}
	return list
}

// A span is sent once, by whatever process, and belongs to its phase.
func TestSpansAreSentOnce(t *testing.T) {
	c := &collector{T: t, answer: http.StatusOK}
	server := httptest.NewServer(c)
	defer server.Close()
	n := newNight(t, targets(server.URL, nil))
	n.ran("code")
	n.exportNow()
	n.exportNow()
	n.restart(n.Settings)
	n.ran("verify")
	n.exportNow()
	spans := c.spans()
	if len(spans) != 2 || len(c.bodies) != 2 || len(n.said) > 0 {
		t.Fatalf("%d spans in %d requests, said %q", len(spans), len(c.bodies), n.said)
	}
	first, second := attributes(spans[0]), attributes(spans[1])
	if first["warp.role"] != "code" || second["warp.role"] != "verify" || !bytes.Equal(spans[0].TraceId, spans[1].TraceId) || !bytes.Equal(spans[0].ParentSpanId, spans[1].ParentSpanId) {
		t.Errorf("%v, %v", first, second)
	}
	if first["gen_ai.operation.name"] != "invoke_agent" || first["gen_ai.provider.name"] != "anthropic" || first["gen_ai.usage.input_tokens"] != "int_value:15" || first["gen_ai.request.model"] != "m" {
		t.Errorf("%v", first)
	}
	if c.header.Get("Api-Key") != "k" || strings.Contains(string(slices.Concat(c.bodies...)), "private") {
		t.Errorf("headers %v, or private words were sent", c.header)
	}
	// The phase that they ran in is sent when it is left, as their parent.
	if _, err := n.drive.ExceedBudget("cost_exceeded"); err != nil {
		t.Fatal(err)
	}
	n.exportNow()
	spans = c.spans()
	if last := spans[len(spans)-1]; len(spans) != 3 || last.Name != "prerequisites" || !bytes.Equal(last.SpanId, spans[0].ParentSpanId) {
		t.Errorf("%v", spans)
	}
}

// What agents said is sent only when that is asked for.
func TestContentIsSentWhenAsked(t *testing.T) {
	c := &collector{T: t, answer: http.StatusOK}
	server := httptest.NewServer(c)
	defer server.Close()
	s := targets(server.URL, nil)
	s.Content = true
	n := newNight(t, s)
	n.ran("code")
	n.exportNow()
	if got := attributes(c.spans()[0])["gen_ai.output.messages"]; !strings.Contains(got, "private words") {
		t.Errorf("%q", got)
	}
}

// A collector that is away is told of once, asked again ever more seldom, and gets
// everything when it is back.
func TestACollectorIsAway(t *testing.T) {
	c := &collector{T: t, answer: http.StatusServiceUnavailable}
	server := httptest.NewServer(c)
	defer server.Close()
	n := newNight(t, targets(server.URL, nil))
	n.ran("code")
	n.exportNow()
	n.exportNow() // too early
	if len(c.bodies) != 1 {
		t.Errorf("asked %d times at once", len(c.bodies))
	}
	n.ran("verify")
	n.exportNow()
	if len(c.bodies) != 2 || len(n.said) != 1 || !strings.Contains(n.said[0], "503") {
		t.Errorf("asked %d times, said %q", len(c.bodies), n.said)
	}
	c.answer, c.bodies, c.kinds = http.StatusOK, nil, nil
	n.ran("fix")
	n.exportNow()
	if spans := c.spans(); len(spans) != 3 {
		t.Errorf("%d spans came", len(spans))
	}
}

// A request that will never be accepted does not keep others back.
func TestARequestIsRefused(t *testing.T) {
	c := &collector{T: t, answer: http.StatusBadRequest}
	server := httptest.NewServer(c)
	defer server.Close()
	n := newNight(t, targets(server.URL, nil))
	n.ran("code")
	n.exportNow()
	c.answer, c.bodies, c.kinds = http.StatusOK, nil, nil
	n.ran("verify")
	n.exportNow()
	if spans := c.spans(); len(spans) != 1 || attributes(spans[0])["warp.role"] != "verify" || len(n.said) != 1 || !strings.Contains(n.said[0], "1 spans are lost") {
		t.Errorf("%v, said %q", spans, n.said)
	}
}

// The JSON is the standard's: ids in hexadecimal digits.
func TestJSONOverTLS(t *testing.T) {
	c := &collector{T: t, answer: http.StatusOK}
	server := httptest.NewTLSServer(c)
	defer server.Close()
	authority := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(authority, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	n := newNight(t, targets(server.URL, func(t *otelenv.Target) { t.JSON, t.Gzip, t.Certificate = true, true, authority }))
	n.ran("code")
	n.exportNow()
	var data struct {
		ResourceSpans []struct {
			ScopeSpans []struct {
				Spans []struct {
					TraceID, SpanID, Name string
					Kind                  int
				}
			}
		}
	}
	if len(c.bodies) != 1 || c.kinds[0] != "/v1/traces application/json" || json.Unmarshal(c.bodies[0], &data) != nil {
		t.Fatalf("%q, %s, said %q", c.kinds, c.bodies, n.said)
	}
	s := data.ResourceSpans[0].ScopeSpans[0].Spans[0]
	if raw, err := hex.DecodeString(s.TraceID); err != nil || len(raw) != 16 || len(s.SpanID) != 16 || s.Name != "invoke_agent claude" || s.Kind != 1 {
		t.Errorf("%+v", s)
	}
	n.restart(targets(server.URL, nil)) // without the authority
	n.ran("verify")
	n.exportNow()
	if len(c.bodies) != 1 || len(n.said) != 1 || !strings.Contains(n.said[0], "certificate") {
		t.Errorf("an unknown certificate: %d requests, said %q", len(c.bodies), n.said)
	}
}

func TestMetricsAreSent(t *testing.T) {
	c := &collector{T: t, answer: http.StatusOK}
	server := httptest.NewServer(c)
	defer server.Close()
	n := newNight(t, otelenv.Settings{Service: "warp", Metrics: &otelenv.Target{URL: server.URL + "/v1/metrics", Timeout: 10 * time.Second}, Interval: 90 * time.Second})
	n.ran("code")
	n.exportNow()
	n.ran("code")
	n.exportNow()
	n.exportNow()
	if len(c.bodies) != 1 {
		t.Fatalf("%d requests in two minutes, every 90 s", len(c.bodies))
	}
	var data metrics.MetricsData
	if err := proto.Unmarshal(c.bodies[0], &data); err != nil {
		t.Fatal(err)
	}
	found := map[string]float64{}
	for _, m := range data.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		for _, p := range m.GetHistogram().GetDataPoints() {
			found[m.Name] += p.GetSum()
			found[m.Name+" count"] += float64(p.Count)
			found[m.Name+" up to 1 ms"] += float64(p.BucketCounts[0])
			found[m.Name+" buckets"] = float64(len(p.BucketCounts) - len(p.ExplicitBounds))
			if len(p.Attributes) != 2 || p.StartTimeUnixNano == 0 || m.GetHistogram().AggregationTemporality != metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
				t.Errorf("%+v", m)
			}
		}
		for _, p := range slices.Concat(m.GetSum().GetDataPoints(), m.GetGauge().GetDataPoints()) {
			found[m.Name] += p.GetAsDouble()
		}
	}
	for name, want := range map[string]float64{"warp.agent_runs": 2, "warp.agent_run": 60, "warp.cost_dollars": 4, "warp.tokens": 36, "warp.questions_waiting": 0,
		"warp.hook_duration": 14, "warp.hook_duration count": 6, "warp.hook_duration up to 1 ms": 4, "warp.hook_duration buckets": 1} {
		if got, there := found[name]; !there || got != want {
			t.Errorf("%s is %v (%v), want %v", name, got, there, want)
		}
	}
}
