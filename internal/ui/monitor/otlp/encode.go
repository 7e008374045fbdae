package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"warp/internal/core/evidence"
	"warp/internal/core/otelenv"
	words "warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/monitor"
)

// longest is the most bytes of an attribute's value, shortest of a name.
const (
	longest  = 4 << 10
	shortest = 200
)

// cleanText makes foreign text safe to send: invalid UTF-8, or too long a text, would lose the whole
// request.
func cleanText(value string, size int) string {
	return words.Clip(strings.ToValidUTF8(words.Prefix(value, 2*size), "\uFFFD"), size)
}

func text(key, value string) *common.KeyValue {
	return stringAttribute(cleanText(key, shortest), cleanText(value, longest))
}

// stringAttribute returns an attribute whose value is already clean.
func stringAttribute(key, value string) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: value}}}
}

func number(key string, value int64) *common.KeyValue {
	return &common.KeyValue{Key: key, Value: &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}}}
}

func dollars(micro int64) *common.KeyValue {
	return &common.KeyValue{Key: "warp.cost.usd", Value: &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: float64(micro) / 1e6}}}
}

func appendText(list []*common.KeyValue, key, value string) []*common.KeyValue {
	if value == "" {
		return list
	}
	return append(list, text(key, value))
}

// Source identifies where the data comes from.
type Source struct {
	Project string // its name
	Home    string // its folder, since two projects may have the same name
	Version string // of warp
}

func describe(s otelenv.Settings, from Source) *resource.Resource {
	attributes := map[string]string{}
	maps.Copy(attributes, s.Resource)
	maps.Copy(attributes, map[string]string{"service.name": s.Service, "service.version": from.Version, "warp.project": from.Project,
		"service.instance.id": hex.EncodeToString(digest("project", from.Home)[:8])})
	r := &resource.Resource{}
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		r.Attributes = append(r.Attributes, text(key, attributes[key]))
	}
	return r
}

var scope = &common.InstrumentationScope{Name: "warp"}

// encodeSpans returns a request with spans: TracesData has the same fields as the standard's
// request.
func encodeSpans(r *resource.Resource, list []finished) *trace.TracesData {
	spans := make([]*trace.Span, len(list))
	for i, s := range list {
		spans[i] = s.Span
	}
	return &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{Resource: r, ScopeSpans: []*trace.ScopeSpans{{Scope: scope, Spans: spans}}}}}
}

// encodeMetrics returns a request with the current metrics. They are counted from the journal,
// so they start with it, whichever process sends them.
func encodeMetrics(r *resource.Resource, f *feed.Feed, now time.Time) *metrics.MetricsData {
	reading, began := monitor.Measure(f), firstRow(f, now)
	var list []*metrics.Metric
	for _, family := range monitor.Families {
		if samples := reading[family.Name]; len(samples) > 0 {
			list = append(list, encodeMetric(family, samples, nanos(began), nanos(now)))
		}
	}
	return &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{Resource: r, ScopeMetrics: []*metrics.ScopeMetrics{{Scope: scope, Metrics: list}}}}}
}

// encodeMetric encodes one family. Sums and histograms include their start time.
func encodeMetric(f monitor.Family, samples []monitor.Sample, began, now uint64) *metrics.Metric {
	m := &metrics.Metric{Name: nameOf(f), Description: f.Help, Unit: f.Unit}
	const cumulative = metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE
	switch f.Kind {
	case monitor.Histogram:
		points := make([]*metrics.HistogramDataPoint, len(samples))
		for i, s := range samples {
			points[i] = &metrics.HistogramDataPoint{StartTimeUnixNano: began, TimeUnixNano: now, Sum: &s.Value, BucketCounts: s.Buckets, ExplicitBounds: evidence.HookBounds[:], Attributes: labelsOf(f, s)}
			for _, n := range s.Buckets {
				points[i].Count += n
			}
		}
		m.Data = &metrics.Metric_Histogram{Histogram: &metrics.Histogram{DataPoints: points, AggregationTemporality: cumulative}}
	case monitor.Counter:
		m.Data = &metrics.Metric_Sum{Sum: &metrics.Sum{DataPoints: numbers(f, samples, began, now), IsMonotonic: true, AggregationTemporality: cumulative}}
	default:
		m.Data = &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: numbers(f, samples, 0, now)}}
	}
	return m
}

func numbers(f monitor.Family, samples []monitor.Sample, began, now uint64) []*metrics.NumberDataPoint {
	points := make([]*metrics.NumberDataPoint, len(samples))
	for i, s := range samples {
		points[i] = &metrics.NumberDataPoint{StartTimeUnixNano: began, TimeUnixNano: now, Value: &metrics.NumberDataPoint_AsDouble{AsDouble: s.Value}, Attributes: labelsOf(f, s)}
	}
	return points
}

func labelsOf(f monitor.Family, s monitor.Sample) (list []*common.KeyValue) {
	for i, label := range s.Labels {
		list = append(list, text(f.Labels[i], label))
	}
	return list
}

// nanos returns a time as OTLP encodes it, clamped to 1970–2262.
func nanos(t time.Time) uint64 {
	switch {
	case t.Before(time.Unix(0, 0)):
		return 0
	case t.After(time.Unix(0, math.MaxInt64)):
		return math.MaxInt64
	}
	return uint64(t.UnixNano())
}

// nameOf returns a metric's name by OpenTelemetry's rules, without kind and unit. Prometheus
// adds them again on receipt.
func nameOf(f monitor.Family) string {
	name := strings.TrimSuffix(f.Name, "_total")
	for unit, suffix := range map[string]string{"s": "_seconds", "1": "_ratio"} {
		if f.Unit == unit {
			name = strings.TrimSuffix(name, suffix)
		}
	}
	return strings.Replace(name, "_", ".", 1)
}

func firstRow(f *feed.Feed, now time.Time) time.Time {
	first := now
	for _, i := range f.Items {
		if !i.Started.IsZero() && i.Started.Before(first) {
			first = i.Started
		}
	}
	return first
}

// marshal encodes a request as protobuf or as OTLP's JSON: protobuf's, but with hexadecimal IDs
// and numeric enums.
func marshal(m proto.Message, asJSON bool) ([]byte, error) {
	if !asJSON {
		return proto.Marshal(m)
	}
	encoded, err := protojson.MarshalOptions{UseEnumNumbers: true}.Marshal(m)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(encoded, &tree); err != nil {
		return nil, err
	}
	if err := hexIDs(tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// hexIDs converts span IDs in a JSON tree to hexadecimal.
func hexIDs(tree any) error {
	switch v := tree.(type) {
	case []any:
		for _, one := range v {
			if err := hexIDs(one); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, one := range v {
			if id, ok := one.(string); ok && (key == "traceId" || key == "spanId" || key == "parentSpanId") {
				raw, err := base64.StdEncoding.DecodeString(id)
				if err != nil {
					return fmt.Errorf("encoding an id: %w", err)
				}
				v[key] = hex.EncodeToString(raw)
			} else if err := hexIDs(one); err != nil {
				return err
			}
		}
	}
	return nil
}
