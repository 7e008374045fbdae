// Package otelenv reads the environment variables that configure OpenTelemetry, with their standard
// names and meanings. Nothing else turns sending on, no setting and no file of a project.
package otelenv

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Settings are the values of the variables.
type Settings struct {
	Traces, Metrics *Target // nil if not sent
	Service         string
	Resource        map[string]string
	Interval        time.Duration // between two exports of metrics
	Content         bool          // also send what agents said
}

// Target is where and how to send one signal.
type Target struct {
	URL         string
	Headers     map[string]string
	JSON        bool // else protobuf
	GRPC        bool // the URL names a gRPC service
	Gzip        bool
	Timeout     time.Duration
	Certificate string // file with the server's authorities; "": the system's
	OwnCert     string
	OwnKey      string
}

const prefix = "OTEL_EXPORTER_OTLP_"

type variable struct{ Name, Meaning string }

// Variables lists all of them, for the documentation.
var Variables = []variable{
	{prefix + "ENDPOINT", "the collector's address, such as `https://collector.example:4318`; traces go to `/v1/traces` below it, metrics to `/v1/metrics`"},
	{prefix + "TRACES_ENDPOINT", "the whole address for traces alone"},
	{prefix + "METRICS_ENDPOINT", "the whole address for metrics alone"},
	{prefix + "HEADERS", "headers of each request, such as `api-key=secret,tenant=a`; agents do not get this variable"},
	{prefix + "PROTOCOL", "`http/protobuf` (default), `http/json` or `grpc`; a collector listens for `grpc` on another port, 4317 by default"},
	{prefix + "COMPRESSION", "`gzip` or `none` (default)"},
	{prefix + "TIMEOUT", "milliseconds that a request may take; default 10000"},
	{prefix + "CERTIFICATE", "a PEM file with the authorities that the collector's certificate is checked against"},
	{prefix + "CLIENT_CERTIFICATE", "a PEM file with a certificate of ours; `" + prefix + "CLIENT_KEY` has its key"},
	{"OTEL_TRACES_EXPORTER", "`none` sends no traces"},
	{"OTEL_METRICS_EXPORTER", "`none` sends no metrics"},
	{"OTEL_METRIC_EXPORT_INTERVAL", "milliseconds between two sendings of metrics; default 60000"},
	{"OTEL_SERVICE_NAME", "the name of the service; default `warp`"},
	{"OTEL_RESOURCE_ATTRIBUTES", "attributes of everything that is sent, such as `team=search,host.name=ci-3`"},
	{"OTEL_SDK_DISABLED", "`true` sends nothing, whatever the others say"},
	{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "`true` sends titles of issues and what agents said about their work, as far as the journal has it; without it no text is sent"},
}

// IsSet reports whether the variables ask for anything to be sent.
func IsSet(getenv func(string) string) bool {
	return target(getenv, "TRACES") != "" || target(getenv, "METRICS") != ""
}

// target returns where a signal is sent; "" if nowhere.
func target(getenv func(string) string, signal string) string {
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") || getenv("OTEL_"+signal+"_EXPORTER") == "none" {
		return ""
	}
	if own := getenv(prefix + signal + "_ENDPOINT"); own != "" {
		return own
	}
	base := getenv(prefix + "ENDPOINT")
	if base == "" {
		return ""
	}
	return strings.TrimSuffix(base, "/") + "/v1/" + strings.ToLower(signal)
}

func Parse(getenv func(string) string) (s Settings, err error) {
	s = Settings{Service: "warp", Interval: time.Minute, Content: strings.EqualFold(getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"), "true")}
	if s.Traces, err = parseTarget(getenv, "TRACES"); err != nil {
		return s, err
	}
	if s.Metrics, err = parseTarget(getenv, "METRICS"); err != nil {
		return s, err
	}
	if s.Resource, err = parsePairs("OTEL_RESOURCE_ATTRIBUTES", getenv("OTEL_RESOURCE_ATTRIBUTES")); err != nil {
		return s, err
	}
	if name := s.Resource["service.name"]; name != "" {
		s.Service = name
	}
	if name := getenv("OTEL_SERVICE_NAME"); name != "" {
		s.Service = name
	}
	s.Interval, err = parseMilliseconds("OTEL_METRIC_EXPORT_INTERVAL", getenv("OTEL_METRIC_EXPORT_INTERVAL"), s.Interval)
	return s, err
}

// services are the gRPC names of the signals.
var services = map[string]string{
	"TRACES":  "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
	"METRICS": "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
}

func parseTarget(getenv func(string) string, signal string) (*Target, error) {
	address := target(getenv, signal)
	if address == "" {
		return nil, nil
	}
	// A variable for one signal takes precedence over the one for all.
	read := func(name string) (variable, value string) {
		if own := prefix + signal + "_" + name; getenv(own) != "" {
			return own, getenv(own)
		}
		return prefix + name, getenv(prefix + name)
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%sENDPOINT: %q is not an address; it begins with http:// or https://", prefix, address)
	}
	t := &Target{URL: address}
	name, protocol := read("PROTOCOL")
	switch protocol {
	case "", "http/protobuf":
	case "http/json":
		t.JSON = true
	case "grpc":
		t.GRPC, t.URL = true, u.Scheme+"://"+u.Host+services[signal]
	default:
		return nil, fmt.Errorf("%s: %q is not supported; use http/protobuf, http/json or grpc", name, protocol)
	}
	name, compression := read("COMPRESSION")
	if compression != "" && compression != "gzip" && compression != "none" {
		return nil, fmt.Errorf("%s: %q is not supported; use gzip or none", name, compression)
	}
	t.Gzip = compression == "gzip"
	name, headers := read("HEADERS")
	if t.Headers, err = parsePairs(name, headers); err != nil {
		return nil, err
	}
	name, timeout := read("TIMEOUT")
	if t.Timeout, err = parseMilliseconds(name, timeout, 10*time.Second); err != nil {
		return nil, err
	}
	_, t.Certificate = read("CERTIFICATE")
	_, t.OwnCert = read("CLIENT_CERTIFICATE")
	_, t.OwnKey = read("CLIENT_KEY")
	return t, nil
}

// parsePairs reads "a=b,c=d", with special characters percent-encoded. Errors do not repeat the
// value: it may be a secret.
func parsePairs(name, text string) (map[string]string, error) {
	pairs := map[string]string{}
	for n, one := range strings.Split(text, ",") {
		if strings.TrimSpace(one) == "" {
			continue
		}
		key, value, ok := strings.Cut(one, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); !ok || key == "" || err != nil {
			return nil, fmt.Errorf("%s: part %d is not of the form name=value", name, n+1)
		}
		pairs[key] = value
	}
	return pairs, nil
}

func parseMilliseconds(name, text string, otherwise time.Duration) (time.Duration, error) {
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n <= 0 {
		return 0, fmt.Errorf("%s: %q is not a number of milliseconds", name, text)
	}
	return time.Duration(n) * time.Millisecond, nil
}
