package otlp

import (
	"context"
	"errors"
	"fmt"
	"time"

	resource "go.opentelemetry.io/proto/otlp/resource/v1"

	"warp/internal/core/otelenv"
	"warp/internal/ui/feed"
)

const (
	batch         = 256 // spans in one request
	pace          = time.Second
	minRetryDelay = time.Second // delay after a failure; it doubles
	maxRetryDelay = time.Minute
	finalTimeout  = 5 * time.Second // to send the rest at the end
)

// Exporter sends finished spans. It holds no queue: what could not be sent is built from the
// journal again, so an unreachable collector costs no memory.
type Exporter struct {
	Settings otelenv.Settings
	Cursor   *Cursor
	Source   Source
	Now      func() time.Time
	Say      func(string) // reports each kind of problem once

	traces, metrics *sender
	about           *resource.Resource
	said            map[string]bool
	tryAt           time.Time
	wait            time.Duration
	measured        time.Time
}

// Run follows the feed until ctx is done, then sends the rest.
func (x *Exporter) Run(ctx context.Context, r *feed.Reader) (err error) {
	if err := x.open(); err != nil {
		return err
	}
	feeds := make(chan *feed.Feed, 1)
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.Follow(ctx, func(f *feed.Feed, err error) {
			if err != nil {
				return // the journal is being replaced
			}
			select { // only the newest counts
			case <-feeds:
			default:
			}
			feeds <- f
		})
	}()
	x.follow(ctx, feeds)
	<-over
	last, err := r.Read()
	if err != nil {
		return fmt.Errorf("reading the journal a last time: %w", err)
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), finalTimeout)
	defer cancel()
	x.tryAt, x.measured = time.Time{}, time.Time{}
	x.export(ending, last)
	return nil
}

func (x *Exporter) open() (err error) {
	if x.traces, err = newSender(x.Settings.Traces); err != nil {
		return err
	}
	x.metrics, err = newSender(x.Settings.Metrics)
	x.about, x.said, x.measured = describe(x.Settings, x.Source), map[string]bool{}, x.Now()
	return err
}

// follow exports when there is something new, and retries failures.
func (x *Exporter) follow(ctx context.Context, feeds <-chan *feed.Feed) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	var now *feed.Feed
	for ctx.Err() == nil {
		if now != nil {
			x.export(ctx, now)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		select {
		case now = <-feeds:
		default:
		}
	}
}

// export sends what is new, unless a failure was too recent.
func (x *Exporter) export(ctx context.Context, f *feed.Feed) {
	if x.Now().Before(x.tryAt) {
		return
	}
	err := errors.Join(x.exportSpans(ctx, f), x.exportMetrics(ctx, f))
	switch {
	case err == nil:
		x.wait = 0
	case errors.Is(ctx.Err(), context.Canceled): // the rest is sent at the end
	default:
		x.wait = min(max(minRetryDelay, 2*x.wait), maxRetryDelay)
		x.tryAt = x.Now().Add(x.wait)
		x.sayOnce("unreachable", err)
	}
}

func (x *Exporter) exportSpans(ctx context.Context, f *feed.Feed) error {
	if x.traces == nil {
		return nil
	}
	var fresh []finished
	for _, s := range spansOf(f, x.Cursor.since, x.Settings.Content) {
		if _, sent := x.Cursor.sent[s.key()]; !sent {
			fresh = append(fresh, s)
		}
	}
	for len(fresh) > 0 {
		some := fresh[:min(batch, len(fresh))]
		fresh = fresh[len(some):]
		err := x.traces.send(ctx, encodeSpans(x.about, some))
		var refused *refusedError
		if errors.As(err, &refused) && refused.isFinal() {
			x.sayOnce("refused", fmt.Errorf("%d spans are lost: %w", len(some), err))
		} else if err != nil {
			return fmt.Errorf("sending traces: %w", err)
		}
		x.Cursor.note(some)
		if err := x.Cursor.save(len(fresh) == 0, x.Now()); err != nil {
			return err
		}
	}
	return nil
}

func (x *Exporter) exportMetrics(ctx context.Context, f *feed.Feed) error {
	now := x.Now()
	if x.metrics == nil || now.Sub(x.measured) < x.Settings.Interval {
		return nil
	}
	x.measured = now // metrics are never resent: the next ones include them
	if err := x.metrics.send(ctx, encodeMetrics(x.about, f, now)); err != nil {
		return fmt.Errorf("sending metrics: %w", err)
	}
	return nil
}

// sayOnce reports a kind of problem the first time only: a collector that is away all night
// would fill the log.
func (x *Exporter) sayOnce(kind string, err error) {
	if !x.said[kind] {
		x.said[kind] = true
		x.Say(err.Error())
	}
}
