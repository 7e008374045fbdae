package fleetcmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	enums "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"warp/internal/core/fleetfile"
	"warp/internal/fleet/connect"
	"warp/internal/fleet/devserver"
	"warp/internal/fleet/flow"
	"warp/internal/sys/proc"
)

// upOptions say how a fleet is started on this machine.
type upOptions struct {
	link
	workers  int
	temporal string
	port, ui int
	warp     string
	terms    flow.Terms
	running  sync.Map // the workers' process ids
}

func newUp() *cobra.Command {
	var o upOptions
	c := &cobra.Command{
		Use:   "up [fleet.yaml]",
		Short: "Start a fleet on this machine: server, workers, and what fleet.yaml says",
		Long: `Start a fleet on this machine, with nothing set up: a Temporal server (the program
temporal, on loopback, with a durable file), and workers for each pool of fleet.yaml. With
--connect, the server that is there already is used.

The file is read again whenever it changes: what is wrong with it is printed with its
place, and the last good one stays in force.

Interrupt it once, and the workers finish the steps under way; the fleet's state is in the
server's file, and the next warp-fleet up goes on from there.`,
		Example: "  warp-fleet up\n  warp-fleet up night.yaml --workers 3",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			file := "fleet.yaml"
			if len(args) == 1 {
				file = args[0]
			}
			return o.run(cmd.Context(), file, cmd.OutOrStdout())
		},
	}
	o.addFlags(c)
	f := c.Flags()
	f.IntVar(&o.workers, "workers", 1, "workers of each pool on this machine; 0: none")
	f.StringVar(&o.temporal, "temporal", "", "the program temporal; without: on PATH or where go install puts it")
	f.IntVar(&o.port, "port", 7233, "the server's port on loopback")
	f.IntVar(&o.ui, "temporal-ui", 0, "the port of Temporal's own page; 0: none")
	f.StringVar(&o.warp, "warp", "", "the warp to drive with; without: the one beside this program, or on PATH")
	f.DurationVar(&o.terms.Heartbeat, "heartbeat", 0, "after how long without a word a step has lost its worker; 0: 30s")
	f.DurationVar(&o.terms.Grace, "grace", 0, "how much longer the next attempt waits; 0: as --heartbeat")
	return c
}

func (o *upOptions) run(ctx context.Context, path string, out io.Writer) error {
	file, err := read(path)
	if err != nil {
		return err
	}
	dir, err := o.complete()
	if err != nil {
		return err
	}
	if err := connect.CreateKey(o.Options.Fleet); err != nil {
		return fmt.Errorf("make the fleet's key: %w", err)
	}
	lasting, end := context.WithCancel(context.WithoutCancel(ctx)) // the server outlives the workers
	defer end()
	served := make(chan error, 1)
	close(served)
	if o.Address == "" && os.Getenv("TEMPORAL_ADDRESS") == "" {
		if served, err = o.serve(lasting, dir, out); err != nil {
			return err
		}
	}
	c, _, err := o.dial(ctx, "up@"+person())
	if err != nil {
		return err
	}
	defer c.Close()
	if err := startFleet(ctx, c, o.fleet, *file, o.terms); err != nil {
		return err
	}
	var workers sync.WaitGroup
	for _, p := range file.Pools {
		for n := range o.workers {
			workers.Go(func() { o.keepWorker(ctx, p, n, out) })
		}
	}
	fmt.Fprintf(out, "fleet %s is up at %s: %d repositories, %d workers\nsubmit work with warp-fleet submit; look at it with warp-fleet status\n", o.fleet, o.Address, len(file.Repositories), o.workers*len(file.Pools))
	followFile(ctx, c, o.fleet, path, out)
	fmt.Fprintf(out, "the workers finish the steps under way; interrupt again to end their agents now\n")
	go endNow(ctx, o.endWorkers)
	workers.Wait()
	end()
	return <-served
}

// serve starts the server, unless one of this fleet is there already.
func (o *upOptions) serve(ctx context.Context, dir string, out io.Writer) (chan error, error) {
	program := o.temporal
	if program == "" {
		var err error
		if program, err = devserver.Find(); err != nil {
			return nil, err
		}
	}
	s := devserver.Server{Program: program, Folder: filepath.Join(dir, "server"), Port: o.port, UI: o.ui}
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return nil, err
	}
	if c, err := net.Dial("tcp", s.Address()); err == nil {
		_ = c.Close()
		return nil, fmt.Errorf("port %d is in use: choose another with --port, or use that server with --connect %s", o.port, s.Address())
	}
	o.Address = s.Address()
	done := make(chan error, 1)
	go func() {
		done <- s.Run(ctx, func(int) {}, func(why string) { fmt.Fprintf(out, "the server is started again: %s\n", why) })
		close(done)
	}()
	wait, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	up := make(chan error, 1)
	go func() { up <- s.Wait(wait) }()
	select {
	case err := <-done:
		return nil, err
	case err := <-up:
		if err != nil {
			return nil, fmt.Errorf("the Temporal server does not answer at %s: %w", s.Address(), err)
		}
	}
	return done, nil
}

// keepWorker runs a worker as a process of its own, and starts it again when it dies:
// what it was doing goes on there or elsewhere.
func (o *upOptions) keepWorker(ctx context.Context, p fleetfile.Pool, n int, out io.Writer) {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintf(out, "no worker can be started: %v\n", err)
		return
	}
	host, _ := os.Hostname()
	name := fmt.Sprintf("%s-%s-%d", host, p.Label, n+1)
	argv := []string{self, "worker", "--fleet", o.fleet, "--connect", o.Address, "--key", o.Options.Fleet, "--name", name, "--pool", p.Label, "--slots", strconv.Itoa(max(p.Slots, 1))}
	argv = append(argv, o.passed()...)
	for ctx.Err() == nil {
		began := time.Now()
		res, err := proc.Run(ctx, proc.Cmd{Argv: argv, Env: o.environ(), Grace: 24 * time.Hour,
			Started: func(pid int) { o.running.Store(name, pid) }})
		o.running.Delete(name)
		if ctx.Err() != nil {
			return
		}
		if err == nil && res.Exit == 0 { // it was drained
			fmt.Fprintf(out, "worker %s has left\n", name)
			return
		}
		fmt.Fprintf(out, "worker %s is started again: it ended with exit code %d: %s\n", name, res.Exit, lastLine(res.Stderr))
		select {
		case <-ctx.Done():
		case <-time.After(max(0, 5*time.Second-time.Since(began))):
		}
	}
}

// endWorkers tells the workers, which have been told once, to end their agents now.
func (o *upOptions) endWorkers() {
	for _, pid := range o.running.Range {
		if p, err := os.FindProcess(pid.(int)); err == nil && p.Signal(syscall.SIGTERM) != nil {
			_ = p.Kill() // Windows knows no other way
		}
	}
}

// environ is what the workers inherit. A key is not shown to whoever lists processes.
func (o *upOptions) environ() []string {
	env := os.Environ()
	if o.APIKey != "" {
		env = append(env, "TEMPORAL_API_KEY="+o.APIKey)
	}
	return env
}

// passed are the flags that the workers get as well.
func (o *upOptions) passed() (list []string) {
	for flag, value := range map[string]string{"--namespace": o.Namespace, "--tls-ca": o.CA, "--tls-cert": o.Cert, "--tls-key": o.Key, "--tls-server-name": o.ServerName,
		"--temporal-config": o.File, "--temporal-profile": o.Profile, "--warp": o.warp} {
		if value != "" {
			list = append(list, flag, value)
		}
	}
	if o.TLS {
		list = append(list, "--tls")
	}
	return list
}

// startFleet starts the fleet's workflow, or gives the one that runs its file.
func startFleet(ctx context.Context, c client.Client, name string, file fleetfile.File, terms flow.Terms) error {
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: flow.FleetID(name), TaskQueue: flow.FlowQueue(name), WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING},
		flow.FleetFlow, flow.FleetState{Name: name, Zone: localZone(), File: file, Terms: terms})
	if err != nil {
		return fmt.Errorf("start the fleet: %w", err)
	}
	return c.SignalWorkflow(ctx, flow.FleetID(name), "", flow.Configure, file)
}

// followFile gives the fleet its file whenever it changes, until the context ends.
func followFile(ctx context.Context, c client.Client, fleet, path string, out io.Writer) {
	seen, _ := os.ReadFile(path)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		text, err := os.ReadFile(path)
		if err != nil || bytes.Equal(text, seen) {
			continue
		}
		file, err := read(path)
		if err == nil {
			if err = c.SignalWorkflow(ctx, flow.FleetID(fleet), "", flow.Configure, *file); err != nil {
				continue // the server is away: the file is given to it later
			}
		}
		seen = text
		if err != nil {
			fmt.Fprintf(out, "%v\nthe fleet goes on with the file as it was\n", err)
			continue
		}
		fmt.Fprintf(out, "%s has changed: the fleet goes by it from now on\n", path)
	}
}

func lastLine(b []byte) string {
	b = trimSpace(b)
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == '\n' {
			return string(b[i+1:])
		}
	}
	return string(b)
}
