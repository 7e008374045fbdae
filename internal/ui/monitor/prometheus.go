package monitor

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"

	"warp/internal/core/evidence"
	"warp/internal/ui/feed"
)

// Metrics answers a Prometheus scrape from the current feed. read returns the feed, or nil if it
// cannot be read, which fails the scrape. The handler is safe for concurrent use.
func Metrics(read func() *feed.Feed) http.Handler {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collector{read})
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// Write prints the metrics as a scrape would get them.
func Write(w io.Writer, f *feed.Feed) error {
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collector{func() *feed.Feed { return f }})
	families, err := registry.Gather()
	if err != nil {
		return fmt.Errorf("collecting the figures: %w", err)
	}
	for _, one := range families {
		if _, err := expfmt.MetricFamilyToText(w, one); err != nil {
			return err
		}
	}
	return nil
}

// collector implements prometheus.Collector on the feed.
type collector struct{ read func() *feed.Feed }

func (f Family) desc() *prometheus.Desc { return prometheus.NewDesc(f.Name, f.Help, f.Labels, nil) }

// Describe implements prometheus.Collector.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, f := range Families {
		to <- f.desc()
	}
}

var errUnread = errors.New("the project's journal cannot be read; warp doctor says more")

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	now := c.read()
	if now == nil {
		to <- prometheus.NewInvalidMetric(drivesEnded.desc(), errUnread)
		return
	}
	reading := Measure(now)
	for _, f := range Families {
		for _, s := range reading[f.Name] {
			to <- f.metric(s)
		}
	}
}

var valueTypes = map[Kind]prometheus.ValueType{Counter: prometheus.CounterValue, Gauge: prometheus.GaugeValue}

// metric converts a sample; Prometheus buckets are cumulative.
func (f Family) metric(s Sample) prometheus.Metric {
	if f.Kind != Histogram {
		return prometheus.MustNewConstMetric(f.desc(), valueTypes[f.Kind], s.Value, s.Labels...)
	}
	all, upTo := uint64(0), map[float64]uint64{}
	for i, n := range s.Buckets {
		if all += n; i < len(evidence.HookBounds) {
			upTo[evidence.HookBounds[i]] = all
		}
	}
	return prometheus.MustNewConstHistogram(f.desc(), all, s.Value, upTo, s.Labels...)
}
