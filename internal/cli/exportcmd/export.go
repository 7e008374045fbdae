// Package exportcmd is warp export and warp metrics, for monitoring systems.
package exportcmd

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/otelenv"
	"warp/internal/durable"
	"warp/internal/engine/trust"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/monitor/otlp"
)

// lookEvery is how often the process that this one ends with is checked.
const lookEvery = time.Second

// lastTurn is how long the exporter of a dead process waits for its turn. If another exporter still
// holds it after that, it has seen everything this one would send.
const lastTurn = 30 * time.Second

// New returns warp export.
func New(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:   "export",
		Short: "Send traces and metrics to an OpenTelemetry collector; warp starts it when one is set",
		Long: `Send traces and metrics of the project's drives and sessions to an OpenTelemetry
collector, as they finish. Drives, loops, pipelines and workflows start it by
themselves when one of these variables names a collector, and it ends with them:

  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT

Without them nothing is started and nothing is sent. What ended before the first
start is not sent; nothing is sent twice. Prompts, code and agent messages are sent
only if OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT is true.`,
		Example: "  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 warp drive\n  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318 warp export",
		RunE:    a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error { return export(ctx, a, d, o) }),
	}
	c.Flags().IntVar(&o.pid, "until-gone", 0, "end when this process ends (default: on an interrupt)")
	c.Flags().StringVar(&o.since, "since", "", "the first time, send what ended since this time, as in 2026-11-14T22:00:00Z (default: now)")
	return c
}

// options are the command line flags.
type options struct {
	pid   int
	since string
}

func export(ctx context.Context, a *app.App, d *turnstile.Drive, o options) error {
	since, err := time.Parse(time.RFC3339, o.since)
	if o.since == "" {
		since, err = a.Env.Now(), nil
	}
	if err != nil {
		return app.WrongUsage("--since %q is not a time; write it as in 2026-11-14T22:00:00Z", o.since)
	}
	settings, err := otelenv.Parse(a.Getenv)
	if err != nil {
		return &app.UsageError{Err: err}
	}
	if settings.Traces == nil && settings.Metrics == nil {
		return app.WrongUsage("no collector is named: set OTEL_EXPORTER_OTLP_ENDPOINT to its address, such as http://127.0.0.1:4318")
	}
	folder, err := trust.Folder(a.Getenv)
	if err != nil {
		return err
	}
	asked := ctx // ended by a signal
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if o.pid > 0 {
		go stopWhenGone(ctx, o.pid, stop)
	}
	home := d.Project.Home().Dir()
	var address string
	for _, t := range []*otelenv.Target{settings.Traces, settings.Metrics} {
		if t != nil {
			address += t.URL + " "
		}
	}
	free, err := takeTurn(asked, ctx, durable.New(durable.Config{Dir: filepath.Join(folder, "export"), Now: a.Env.Now, PID: a.Env.PID}), otlp.CursorName(home, address), a.Env.PID)
	if err != nil || free == nil {
		return err
	}
	defer free()
	cursor, err := otlp.OpenCursor(folder, home, address, since)
	if err != nil {
		return err
	}
	x := otlp.Exporter{Settings: settings, Cursor: cursor, Now: a.Env.Now, Say: func(text string) { a.Note("%s", text) },
		Source: otlp.Source{Project: filepath.Base(filepath.Dir(home)), Home: home, Version: app.Version}}
	return x.Run(ctx, feed.Open(d, a.Env))
}

// stopWhenGone calls stop when another process is gone.
func stopWhenGone(ctx context.Context, pid int, stop func()) {
	began, _ := proc.Started(pid)
	for {
		if stamp, alive := proc.Started(pid); !alive || stamp != began {
			stop()
		}
		if app.Sleep(ctx, lookEvery) != nil {
			return
		}
	}
}

// takeTurn waits until no other process exports the same data to the same place: two would send
// everything twice. The other may be ending and have read for the last time, so the wait
// outlasts the exported process. It returns nil if the other continues or this one was told to
// end.
func takeTurn(asked, ctx context.Context, store *durable.Store, name string, pid int) (free func(), err error) {
	stamp, _ := proc.Started(pid)
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	gone := ctx.Done()
	var late <-chan time.Time
	for {
		lease, _, err := store.Acquire(name, durable.Process{PID: pid, Stamp: stamp}, proc.Started)
		if err == nil {
			living, stop := context.WithCancel(context.WithoutCancel(ctx))
			go func() { _ = lease.Keep(living) }()
			return func() { stop(); _ = lease.Release() }, nil
		}
		if !app.IsA[*durable.LockedError](err) {
			return nil, fmt.Errorf("taking the turn to export: %w", err)
		}
		select {
		case <-asked.Done():
			return nil, nil
		case <-gone:
			gone, late = nil, time.After(lastTurn)
		case <-late:
			return nil, nil
		case <-look.C:
		}
	}
}
