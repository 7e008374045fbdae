// Package worker does what a fleet's workflows decide: it keeps clones, starts conducted
// drives in them, and stands between them and the server. A drive takes a phase only
// while the server acknowledges that the phase is this worker's.
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
	Folder  string // of its clones
	Secrets string // folder with one file of variables for each account
	Warp    string // the program
	Environ []string
	Client  client.Client
	Warn    func(line string) // tells the person who looks after the worker

	attempt func(context.Context) attempt
	listing sync.Mutex
	seats   seats
}

const (
	helloTime  = time.Minute     // between two words to the fleet that the worker is there
	stickyTime = 2 * time.Second // after which another worker replays a workflow whose worker is gone
	leaveTime  = 24 * time.Hour  // a step may take so long to end when the worker is drained
)

// Run works until the context is over or the fleet has drained the worker, then finishes
// the steps that are under way, or none (now is over too): drives are ended with their
// agents.
func (w *Worker) Run(ctx, now context.Context) error {
	w.attempt = readAttempt
	o := sdk.Options{Identity: w.Name, StickyScheduleToStartTimeout: stickyTime, WorkerStopTimeout: leaveTime, BackgroundActivityContext: now,
		DisableEagerActivities: true}
	if w.Slots > 0 { // else as many as the pool has, which can change
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
	defer w.seats.endDrives() // once the steps are finished, and none is taken any more
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

// ofTheFleet begin the names of variables that Temporal's clients and warp-fleet are set up
// with, keys among them. An agent that had them could speak for the fleet.
var ofTheFleet = []string{"TEMPORAL_", "WARP_FLEET_"}

// withoutFleet is the environment of what a worker starts: its own without what is the
// fleet's.
func withoutFleet(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		return slices.ContainsFunc(ofTheFleet, func(prefix string) bool { return strings.HasPrefix(v, prefix) })
	})
}

// accountEnv is the environment of drives with an account, with the variables in the
// account's file. They are read here and never leave the machine.
func (w *Worker) accountEnv(account string) ([]string, error) {
	env := withoutFleet(w.Environ)
	if account == "" {
		return env, nil
	}
	text, err := durable.ReadPlain(AccountFile(w.Secrets, account))
	switch {
	case errors.Is(err, fs.ErrNotExist): // the worker's own login is the account's
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

// AccountFile is the file with the variables of an account.
func AccountFile(folder, account string) string {
	return filepath.Join(folder, unsafeName.ReplaceAllString(account, "-")+".env")
}
