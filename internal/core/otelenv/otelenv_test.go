package otelenv_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/otelenv"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

const base, endpoint = "OTEL_EXPORTER_OTLP_", "OTEL_EXPORTER_OTLP_ENDPOINT"

func TestWhatTheVariablesSay(t *testing.T) {
	got, err := otelenv.Parse(env(endpoint, "https://c.example:4318/", base+"METRICS_ENDPOINT", "http://m.example/x", base+"HEADERS", "api-key=a%20b, tenant=c",
		base+"METRICS_HEADERS", "k=v", base+"PROTOCOL", "http/json", base+"COMPRESSION", "gzip", base+"TIMEOUT", "250", base+"CERTIFICATE", "/ca.pem",
		"OTEL_RESOURCE_ATTRIBUTES", "team=search,service.name=x", "OTEL_SERVICE_NAME", "night", "OTEL_METRIC_EXPORT_INTERVAL", "5000"))
	if err != nil {
		t.Fatal(err)
	}
	want := otelenv.Settings{
		Traces: &otelenv.Target{URL: "https://c.example:4318/v1/traces", Headers: map[string]string{"api-key": "a b", "tenant": "c"}, JSON: true, Gzip: true,
			Timeout: 250 * time.Millisecond, Certificate: "/ca.pem"},
		Metrics: &otelenv.Target{URL: "http://m.example/x", Headers: map[string]string{"k": "v"}, JSON: true, Gzip: true, Timeout: 250 * time.Millisecond, Certificate: "/ca.pem"},
		Service: "night", Resource: map[string]string{"team": "search", "service.name": "x"}, Interval: 5 * time.Second,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsSentUnlessAsked(t *testing.T) {
	for name, c := range map[string]struct {
		env             []string
		traces, metrics bool
	}{
		"nothing is set":    {nil, false, false},
		"only a name":       {[]string{"OTEL_SERVICE_NAME", "x", base + "HEADERS", "a=b"}, false, false},
		"an endpoint":       {[]string{endpoint, "http://c"}, true, true},
		"traces alone":      {[]string{base + "TRACES_ENDPOINT", "http://c"}, true, false},
		"no metrics":        {[]string{endpoint, "http://c", "OTEL_METRICS_EXPORTER", "none"}, true, false},
		"switched off":      {[]string{endpoint, "http://c", "OTEL_SDK_DISABLED", "TRUE"}, false, false},
		"switched on again": {[]string{endpoint, "http://c", "OTEL_SDK_DISABLED", "false"}, true, true},
	} {
		s, err := otelenv.Parse(env(c.env...))
		if err != nil || (s.Traces != nil) != c.traces || (s.Metrics != nil) != c.metrics || otelenv.IsSet(env(c.env...)) != (c.traces || c.metrics) || s.Content {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestWhatCannotBeMeant(t *testing.T) {
	for value, pair := range map[string][]string{
		"c.example:4318": {endpoint, "c.example:4318"}, "thrift": {base + "PROTOCOL", "thrift"}, "zstd": {base + "COMPRESSION", "zstd"},
		"part 2": {base + "HEADERS", "a=b,secret"}, "soon": {base + "TIMEOUT", "soon"},
	} {
		_, err := otelenv.Parse(env(append(pair, endpoint, "http://c")...))
		if err == nil || !strings.Contains(err.Error(), value) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v: %v", pair, err)
		}
	}
}

// gRPC has an address of a service for each signal, whatever path is given.
func TestAddressesOfGRPC(t *testing.T) {
	s, err := otelenv.Parse(env(endpoint, "https://c.example:4317/path", base+"PROTOCOL", "grpc"))
	if err != nil || !s.Traces.GRPC || s.Traces.URL != "https://c.example:4317/opentelemetry.proto.collector.trace.v1.TraceService/Export" || s.Metrics.URL != "https://c.example:4317/opentelemetry.proto.collector.metrics.v1.MetricsService/Export" {
		t.Errorf("%+v %+v %v", s.Traces, s.Metrics, err)
	}
}
