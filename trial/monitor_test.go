//go:build linux

package trial

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"warp/internal/cli/app"
	"warp/internal/testkit/programs"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// collector is an OTLP receiver.
type collector struct {
	mu    sync.Mutex
	spans []*trace.Span
	all   strings.Builder // everything that came, as it came
	bad   error
	whole sync.Once
	root  chan struct{} // closed when the span of a whole drive has come
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Write(body)
	if err != nil || r.URL.Path != "/v1/traces" {
		return
	}
	var data trace.TracesData
	if c.bad = proto.Unmarshal(body, &data); c.bad != nil {
		return
	}
	for _, s := range data.ResourceSpans[0].ScopeSpans[0].Spans {
		c.spans = append(c.spans, s)
		if len(s.ParentSpanId) == 0 {
			c.whole.Do(func() { close(c.root) })
		}
	}
}

// exporters are the processes that export for the project.
func (p *project) exporters() map[int]string {
	return programs.Running(func(r programs.Process) bool {
		return slices.Contains(r.Env, p.mark()) && strings.Contains(r.Line, "warp-ui export")
	})
}

// A drive that is killed and resumed is one trace, whose tree is that of the journal's
// runs: nothing is missing, and nothing is there under two ids. None of its words are sent.
func TestTheTraceOfAKilledDriveIsWhole(t *testing.T) {
	c := &collector{root: make(chan struct{})}
	server := httptest.NewServer(c)
	defer server.Close()
	p := newProject(t)
	p.env = []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + server.URL, "WARP_CRASH_AT=committed#1"}
	if code, out := p.warp("drive", "1", "--level", "3"); code != -1 {
		t.Fatalf("it was not killed: %d\n%s", code, out)
	}
	p.env = p.env[:1]
	if code, out := p.warp("resume"); code != 0 {
		t.Fatalf("%d\n%s", code, out)
	}
	deadline := time.After(time.Minute)
	select {
	case <-c.root:
	case <-deadline:
		log, _ := os.ReadFile(filepath.Join(p.root, ".claude", filepath.FromSlash(app.ExportLog)))
		t.Fatalf("the span of the drive did not come: %s", log)
	}
	for look := time.NewTicker(50 * time.Millisecond); len(p.exporters()) > 0; {
		select {
		case <-look.C:
		case <-deadline:
			t.Fatalf("still there: %v", p.exporters())
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.bad != nil {
		t.Fatal(c.bad)
	}
	c.compare(t, p)
	for _, words := range []string{"Mail", "first thing", "sum.test.js", "demo_"} {
		if strings.Contains(c.all.String(), words) {
			t.Errorf("%q was sent", words)
		}
	}
}

// compare holds the spans against the journal.
func (c *collector) compare(t *testing.T, p *project) {
	t.Helper()
	f, err := feed.Read(turnstile.Open(p.root, turnstile.System()), turnstile.System())
	if err != nil {
		t.Fatal(err)
	}
	// What was sent and not noted before the exporter was killed is sent again: by its id
	// a collector knows that it is the same.
	names, once := map[string]string{"": ""}, map[string]*trace.Span{}
	c.spans = slices.DeleteFunc(c.spans, func(s *trace.Span) bool {
		id := hex.EncodeToString(s.SpanId)
		first, again := once[id]
		if again && s.Name != "drive 1" && !proto.Equal(first, s) {
			t.Errorf("%s was sent twice, and is not the same", s.Name)
		}
		names[id], once[id] = s.Name, s
		return again
	})
	var got, want []string
	traces := map[string]bool{}
	for _, s := range c.spans {
		traces[string(s.TraceId)] = true
		if s.Name != "drive 1" {
			got = append(got, names[hex.EncodeToString(s.ParentSpanId)]+" > "+s.Name)
		}
	}
	for _, e := range f.Book.Runs {
		want = append(want, e.Row.Phase+" > invoke_agent "+e.Row.Agent)
	}
	for _, s := range f.Stays() {
		want = append(want, "drive 1 > "+string(s.Phase))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || len(traces) != 1 || len(f.Book.Runs) < 2 {
		t.Errorf("%d traces, %d runs; the journal has -, the collector has +:\n%s", len(traces), len(f.Book.Runs), diff)
	}
}

// Without a variable nothing is started, and nothing is noted anywhere.
func TestWithoutACollectorNothingIsStarted(t *testing.T) {
	p := newProject(t)
	if code, out := p.warp("drive", "1", "--level", "3"); code != 0 {
		t.Fatalf("%d\n%s", code, out)
	}
	for _, path := range []string{filepath.Join(p.root, ".claude", filepath.FromSlash(app.ExportLog)), filepath.Join(p.home, ".local", "state", "warp", "export")} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is there: %v", path, err)
		}
	}
	if left := p.exporters(); len(left) > 0 {
		t.Errorf("%v", left)
	}
}
