// Package otelenv reads the environment variables by which OpenTelemetry is set up. Their
// names and meanings are the standard's; nothing else turns sending on, no setting and no
// file of a project.
package otelenv

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Settings are what the variables say.
type Settings struct {
	Traces, Metrics *Target // nil: they are not sent
	Service         string
	Resource        map[string]string
	Interval        time.Duration // between two sendings of metrics
	Content         bool          // what agents said is sent, too
}

// Target is where one signal is sent, and how.
type Target struct {
	URL         string
	Headers     map[string]string
	JSON        bool // else protobuf
	GRPC        bool // the URL names a service of gRPC
	Gzip        bool
	Timeout     time.Duration
	Certificate string // files: of the server, and of ours with its key; "": the system's, none
	OwnCert     string
	OwnKey      string
}

const prefix = "OTEL_EXPORTER_OTLP_"

// variable is one that is read.
type variable struct{ Name, Meaning string }

// Variables are all of them, for the documentation.
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

// IsSet reports whether the variables ask for something to be sent.
func IsSet(getenv func(string) string) bool {
	return target(getenv, "TRACES") != "" || target(getenv, "METRICS") != ""
}

// target is where a signal is sent; "": nowhere.
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

// Parse reads the variables.
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

// services are what a collector's gRPC calls the signals.
var services = map[string]string{
	"TRACES":  "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
	"METRICS": "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export",
}

func parseTarget(getenv func(string) string, signal string) (*Target, error) {
	address := target(getenv, signal)
	if address == "" {
		return nil, nil
	}
	// What is said for one signal counts more than what is said for all.
	read := func(name string) (variable, value string) {
		if own := prefix + signal + "_" + name; getenv(own) != "" {
			return own, getenv(own)
		}
		return prefix + name, getenv(prefix + name)
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%sENDPOINT: %q is no address; it begins with http:// or https://", prefix, address)
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

// parsePairs reads "a=b,c=d", in which special characters are percent-encoded. The value
// is not repeated in an error: it may be a secret.
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
		return 0, fmt.Errorf("%s: %q is no number of milliseconds", name, text)
	}
	return time.Duration(n) * time.Millisecond, nil
}
