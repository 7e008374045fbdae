package otlp

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"warp/internal/core/otelenv"
	"warp/internal/ui/feed"
	"warp/internal/ui/monitor"
)

func text(key, value string) *common.KeyValue {
	value = strings.ToValidUTF8(value, "\uFFFD")
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

// Source is what the data is about.
type Source struct {
	Project string // its name
	Home    string // its folder: two projects may have one name
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

// encodeSpans is a request with spans: TracesData has the same fields as the request
// that the standard names.
func encodeSpans(r *resource.Resource, list []finished) *trace.TracesData {
	spans := make([]*trace.Span, len(list))
	for i, s := range list {
		spans[i] = s.Span
	}
	return &trace.TracesData{ResourceSpans: []*trace.ResourceSpans{{Resource: r, ScopeSpans: []*trace.ScopeSpans{{Scope: scope, Spans: spans}}}}}
}

// encodeMetrics is a request with the figures at one moment. They are counted from the
// journal, so they begin with it, whatever process tells them.
func encodeMetrics(r *resource.Resource, f *feed.Feed, now time.Time) *metrics.MetricsData {
	reading, began := monitor.Measure(f), firstRow(f, now)
	var list []*metrics.Metric
	for _, family := range monitor.Families {
		var points []*metrics.NumberDataPoint
		for _, s := range reading[family.Name] {
			p := &metrics.NumberDataPoint{TimeUnixNano: uint64(now.UnixNano()), Value: &metrics.NumberDataPoint_AsDouble{AsDouble: s.Value}}
			for i, label := range s.Labels {
				p.Attributes = append(p.Attributes, text(family.Labels[i], label))
			}
			if family.Kind == monitor.Counter {
				p.StartTimeUnixNano = uint64(began.UnixNano())
			}
			points = append(points, p)
		}
		if len(points) == 0 {
			continue
		}
		m := &metrics.Metric{Name: nameOf(family), Description: family.Help, Unit: family.Unit}
		if family.Kind == monitor.Counter {
			m.Data = &metrics.Metric_Sum{Sum: &metrics.Sum{DataPoints: points, IsMonotonic: true, AggregationTemporality: metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}}
		} else {
			m.Data = &metrics.Metric_Gauge{Gauge: &metrics.Gauge{DataPoints: points}}
		}
		list = append(list, m)
	}
	return &metrics.MetricsData{ResourceMetrics: []*metrics.ResourceMetrics{{Resource: r, ScopeMetrics: []*metrics.ScopeMetrics{{Scope: scope, Metrics: list}}}}}
}

// nameOf is a metric's name by OpenTelemetry's rules: its kind and its unit are no part
// of it. Prometheus adds them again when it receives it.
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

// marshal writes a request, as protobuf or as the standard's JSON: that of protobuf, but
// with ids in hexadecimal digits and enumerations as numbers.
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
	if err := spellIDs(tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// spellIDs replaces the ids of spans in a tree of JSON.
func spellIDs(tree any) error {
	switch v := tree.(type) {
	case []any:
		for _, one := range v {
			if err := spellIDs(one); err != nil {
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
			} else if err := spellIDs(one); err != nil {
				return err
			}
		}
	}
	return nil
}
