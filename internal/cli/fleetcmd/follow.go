package fleetcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"warp/internal/cli/app"
	"warp/internal/core/fleetfile"
	"warp/internal/fleet/flow"
	"warp/internal/ui/render"
)

// startFleet starts the fleet's workflow, or sends the running one its file.
func startFleet(ctx context.Context, c client.Client, name string, file fleetfile.File, terms flow.Terms) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: flow.FleetID(name), TaskQueue: flow.FlowQueue(name), WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING},
		flow.FleetFlow, flow.FleetState{Name: name, Zone: localZone(), File: file, Terms: terms})
	if err != nil {
		return fmt.Errorf("start the fleet: %w", err)
	}
	return configure(ctx, c, name, file)
}

// readyTime is how long a server may take to become ready after it answers.
const readyTime = 2 * time.Minute

// awaitFleet starts the fleet once the server is ready.
func awaitFleet(ctx context.Context, out io.Writer, start func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	return retry(ctx, time.Second, out, "the server is not ready yet", func() error {
		try, stop := context.WithTimeout(ctx, 5*time.Second)
		defer stop()
		return start(try)
	})
}

// retry repeats try while the server is away or not ready, and says so once.
func retry(ctx context.Context, pause time.Duration, out io.Writer, say string, try func() error) error {
	for said := false; ; said = true {
		err := try()
		if !isUnready(err) || ctx.Err() != nil {
			return err
		}
		if !said {
			fmt.Fprintln(out, say)
		}
		_ = app.Sleep(ctx, pause)
	}
}

// isUnready reports whether an error may be temporary.
func isUnready(err error) bool {
	return app.IsA[*serviceerror.Unavailable](err) || app.IsA[*serviceerror.DeadlineExceeded](err) || errors.Is(err, context.DeadlineExceeded)
}

func configure(ctx context.Context, c client.Client, name string, file fleetfile.File) error {
	return c.SignalWorkflow(ctx, flow.FleetID(name), "", flow.Configure, file)
}

// follower sends the fleet its file whenever it changes.
type follower struct {
	path  string
	out   io.Writer
	apply func(fleetfile.File) error
	seen  []byte // the last text applied or refused
	said  string // the last error printed about the file
}

// run polls the file until the context or the server ends; it returns the server's error.
func (f *follower) run(ctx context.Context, served <-chan error) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-served:
			return err
		case <-tick.C:
		}
		f.applyChange()
	}
}

// applyChange applies the file if it has changed, and retries what the server did not accept.
func (f *follower) applyChange() {
	text, err := os.ReadFile(f.path)
	if err != nil {
		f.refuse(fmt.Errorf("%s cannot be read: %w", f.path, errors.Unwrap(err)))
		return
	}
	if bytes.Equal(text, f.seen) {
		f.said = ""
		return
	}
	var warned bytes.Buffer
	file, err := readFleetFile(f.path, &warned)
	if err != nil {
		f.seen = text
		f.refuse(err)
		return
	}
	if err := f.apply(*file); err != nil {
		f.refuse(fmt.Errorf("the fleet has not received the change in %s yet: %w", f.path, err))
		return
	}
	f.seen, f.said = text, ""
	_, _ = f.out.Write(warned.Bytes())
	fmt.Fprintf(f.out, "%s has changed: the fleet now uses the new version\n", f.path)
}

func (f *follower) refuse(why error) {
	if f.said != why.Error() {
		f.said = why.Error()
		fmt.Fprintf(f.out, "%s\nthe fleet keeps the last valid file\n", render.Printable(why.Error()))
	}
}
