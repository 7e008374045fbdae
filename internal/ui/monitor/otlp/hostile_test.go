package otlp

import (
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"

	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/core/otelenv"
	"warp/internal/ui/feed"
)

// A text that is no UTF-8 would lose the whole request it is in, and with it those of
// everything else; so would one that is too long for the collector.
func TestHostileTextsLoseNoRequest(t *testing.T) {
	evil := "\xff\xc3(\x00\x1b]0;x\x07\u202e" + strings.Repeat("x", 10<<20)
	f := &feed.Feed{Book: &evidence.Book{}}
	for _, at := range []time.Time{{}, time.Unix(-1, 0), time.Unix(100, 0), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
		f.Items = append(f.Items, feed.Item{Kind: feed.Loop, Name: evil, Title: evil, State: feed.Failed, Issue: evil, Result: evil, Started: at, Ended: at.Add(time.Hour), Live: &livestate.State{
			Agents: []livestate.Agent{{Role: evil}}, Windows: []livestate.Window{{Name: evil}}}})
	}
	f.Book.Others = []evidence.Entry[evidence.Run]{{At: time.Unix(200, 0).Format(time.RFC3339), Row: evidence.Run{Work: "session " + evil, Role: evil, Agent: evil, Model: evil, Session: evil, Phase: evil, End: evil,
		Why: evil, Summary: evil, Seconds: 1e300, Input: math.MaxInt64, CacheRead: math.MaxInt64, Hooks: &evidence.Hooks{Events: []evidence.HookTimes{{Event: evil, Buckets: []int{1}}}}}}}
	about := describe(otelenv.Settings{Service: evil, Resource: map[string]string{evil: evil}}, Source{Project: evil, Home: evil, Version: evil})
	spans := spansOf(f, time.Time{}, true)
	if len(spans) < 4 {
		t.Fatalf("%d spans", len(spans))
	}
	check := func(list []*common.KeyValue) {
		t.Helper()
		for _, a := range list {
			if v := a.GetValue().GetStringValue(); !utf8.ValidString(v) || len(a.Key) > shortest || len(v) > 8*longest {
				t.Errorf("%q has %d bytes", a.Key[:min(len(a.Key), 50)], len(v))
			}
		}
	}
	check(about.Attributes)
	for _, s := range spans {
		check(s.Attributes)
		if len(s.Name) > shortest || s.StartTimeUnixNano > s.EndTimeUnixNano || s.EndTimeUnixNano > math.MaxInt64 {
			t.Errorf("%d bytes, from %d to %d", len(s.Name), s.StartTimeUnixNano, s.EndTimeUnixNano)
		}
	}
	for name, m := range map[string]proto.Message{"traces": encodeSpans(about, spans), "metrics": encodeMetrics(about, f, time.Unix(300, 0))} {
		for _, asJSON := range []bool{false, true} {
			if body, err := marshal(m, asJSON); err != nil || len(body) > 1<<20 {
				t.Errorf("%s: %d bytes, %v", name, len(body), err)
			}
		}
	}
}

// A span that ends in the year 9999, by a clock that was wrong, keeps no other from being
// sent.
func TestATimeToComeIsNoCursor(t *testing.T) {
	now := time.Date(2026, 11, 14, 22, 0, 0, 0, time.UTC)
	c, err := OpenCursor(t.TempDir(), "home", "address", now)
	if err != nil {
		t.Fatal(err)
	}
	tracer := newTracer(feed.Item{Kind: feed.Loop, Name: "x"}, false)
	c.note([]finished{tracer.span([]byte("12345678"), nil, "x", now, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC))})
	if err := c.save(true, now); err != nil || c.since.After(now) {
		t.Errorf("nothing is sent before %v: %v", c.since, err)
	}
}
