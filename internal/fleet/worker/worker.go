// Package worker carries out what a fleet's workflows decide: it keeps clones, runs conducted drives
// in them, and connects them to the server. A drive runs a phase only while the server acknowledges
// that the phase is this worker's.
package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdk "go.temporal.io/sdk/worker"

	"warp/internal/durable"
	"warp/internal/fleet/flow"
)

// Worker is one process of a fleet, on one machine.
type Worker struct {
	flow.WorkerInfo
	Fleet   string
	Folder  string // holds its clones
	Secrets string // holds a file of variables for each account
	Warp    string // path of the warp program
	Environ []string
	Client  client.Client
	Warn    func(line string) // tells the worker's operator

	attempt func(context.Context) attempt
	listing sync.Mutex
	seats   seats
}

const (
	helloTime  = time.Minute     // interval of hellos to the fleet
	stickyTime = 2 * time.Second // after which another worker replays a workflow whose worker is gone
	leaveTime  = 24 * time.Hour  // how long a step may take to end when the worker is drained
)

// Run works until ctx ends or the fleet has drained the worker, and then finishes the running steps.
// When now ends too, it ends drives and agents at once.
func (w *Worker) Run(ctx, now context.Context) error {
	w.attempt = readAttempt
	o := sdk.Options{Identity: w.Name, StickyScheduleToStartTimeout: stickyTime, WorkerStopTimeout: leaveTime, BackgroundActivityContext: now,
		DisableEagerActivities: true}
	if w.Slots > 0 { // else the pool's number applies, which can change
		o.MaxConcurrentActivityExecutionSize = w.Slots + 2
	}
	flows := sdk.New(w.Client, flow.FlowQueue(w.Fleet), o)
	flow.Register(flows)
	flows.RegisterActivityWithOptions(w.PlanNight, activity.RegisterOptions{Name: flow.PlanNight})
	o.DisableWorkflowWorker = true
	steps := sdk.New(w.Client, flow.WorkerQueue(w.Fleet, w.Name), o)
	for name, fn := range map[string]any{flow.BeginWork: w.BeginWork, flow.TakeStep: w.TakeStep, flow.LeaveWork: w.LeaveWork} {
		steps.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
	if err := flows.Start(); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	defer flows.Stop()
	defer w.seats.endDrives() // after the last step has finished
	if err := steps.Start(); err != nil {
		return fmt.Errorf("start the worker: %w", err)
	}
	defer steps.Stop()
	sweeping, stop := context.WithCancel(ctx)
	var sweep sync.WaitGroup
	defer sweep.Wait()
	defer stop()
	sweep.Go(func() { w.sweep(sweeping) })
	return w.serve(ctx, now)
}

// fleetPrefixes lists the prefixes of variables that configure Temporal's clients and warp-fleet,
// keys included. An agent that had them could act for the fleet.
var fleetPrefixes = []string{"TEMPORAL_", "WARP_FLEET_"}

// withoutFleet returns the environment for a worker's children: its own without the fleet's
// variables.
func withoutFleet(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		return slices.ContainsFunc(fleetPrefixes, func(prefix string) bool { return strings.HasPrefix(v, prefix) })
	})
}

// accountEnv returns the environment for drives with an account, including the variables in the
// account's file. Those never leave the machine.
func (w *Worker) accountEnv(account string) ([]string, error) {
	env := withoutFleet(w.Environ)
	if account == "" {
		return env, nil
	}
	text, err := durable.ReadPlain(AccountFile(w.Secrets, account))
	switch {
	case errors.Is(err, fs.ErrNotExist): // the worker is logged in to the account itself
		return env, nil
	case err != nil: // another account would pay
		return nil, fmt.Errorf("read the variables of account %s: %w", account, err)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && strings.Contains(line, "=") {
			env = append(env, line)
		}
	}
	return env, nil
}

// AccountFile returns the file with an account's variables.
func AccountFile(folder, account string) string {
	return filepath.Join(folder, unsafeName.ReplaceAllString(account, "-")+".env")
}
