package fleetcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/fleetfile"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/fleet/devserver"
	"warp/internal/fleet/flow"
)

// upOptions configure a fleet on this machine.
type upOptions struct {
	link
	workers  int
	temporal string
	listen   string
	port, ui int
	warp     string
	terms    flow.Terms
}

const usualPort = 7233 // Temporal's default

func newUp() *cobra.Command {
	var o upOptions
	c := &cobra.Command{
		Use:   "up [fleet.yaml]",
		Short: "Start a fleet on this machine: server, workers, and what fleet.yaml says",
		Long: `Start a fleet on this machine, without any setup: a Temporal server (the program
temporal, on loopback, with a durable file), and workers for each pool of fleet.yaml.
--connect uses an existing server instead.

The file is read again whenever it changes. Errors in it are printed with line and column,
and the last valid version stays in use.

Interrupt it once, and the workers finish their current steps; the fleet's state is in the
server's file, and the next warp-fleet up continues from there.`,
		Example: "  warp-fleet up\n  warp-fleet up night.yaml --workers 3",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd.Context(), fileName(args), cmd.OutOrStdout())
		},
	}
	o.addFlags(c)
	f := c.Flags()
	f.IntVar(&o.workers, "workers", 1, "workers of each pool on this machine; 0: none")
	f.StringVar(&o.temporal, "temporal", "", "the program temporal; default: on PATH or where go install puts it")
	f.StringVar(&o.listen, "listen", "", "also listen for other machines, on this machine's address in a private network")
	f.IntVar(&o.port, "port", usualPort, "the server's port on loopback")
	f.IntVar(&o.ui, "temporal-ui", 0, "the port of Temporal's own page; 0: none")
	f.StringVar(&o.warp, "warp", "", "the warp to drive with; default: the one beside this program, or on PATH")
	f.DurationVar(&o.terms.Heartbeat, "heartbeat", 0, "how long a step may be silent before its worker counts as lost; 0: 30s")
	f.DurationVar(&o.terms.Grace, "grace", 0, "how much longer the next attempt waits; 0: as --heartbeat")
	return c
}

func (o *upOptions) run(ctx context.Context, path string, out io.Writer) error {
	if o.workers < 0 {
		return app.WrongUsage("--workers must be 0 or more")
	}
	if o.listen != "" {
		if err := devserver.CheckIP(o.listen); err != nil {
			return &app.UsageError{Err: err}
		}
	}
	file, err := readFleetFile(path, out)
	if err != nil {
		return err
	}
	dir, err := o.complete()
	if err != nil {
		return err
	}
	lasting, end := context.WithCancel(context.WithoutCancel(ctx)) // the server outlives the workers
	defer end()
	var served chan error // nil if the server is not ours
	ours := o.Address == "" && os.Getenv("TEMPORAL_ADDRESS") == "" && o.File == "" && o.Profile == ""
	if ours {
		if served, err = o.serve(lasting, dir, out); err != nil {
			return err
		}
	}
	c, err := o.dialNew(ctx, "up@"+callerName())
	if err != nil {
		return err
	}
	defer c.Close()
	if err := awaitFleet(ctx, out, func(ctx context.Context) error { return startFleet(ctx, c, o.fleet, *file, o.terms) }); err != nil {
		return err
	}
	workers := &crew{options: o, out: out, pools: map[string]bool{}, pids: map[int]bool{}}
	n := workers.hire(ctx, file.Pools)
	fmt.Fprintf(out, "fleet %s is up at %s: %s, %s\n", o.fleet, cmp.Or(o.Address, os.Getenv("TEMPORAL_ADDRESS"), "the server of Temporal's configuration"), text.Count(len(file.Repositories), "repository"), text.Count(n, "worker"))
	if ours && o.listen != "" {
		fmt.Fprintf(out, "other machines: warp-fleet worker --connect %s --pool LABEL, with a copy of %s\n", net.JoinHostPort(o.listen, strconv.Itoa(o.port)), o.Options.Fleet)
	}
	if ours && o.port != usualPort {
		fmt.Fprintf(out, "tell the other commands where it is: export TEMPORAL_ADDRESS=%s\n", o.Address)
	}
	fmt.Fprintln(out, "submit work with warp-fleet submit; look at it with warp-fleet status")
	seen, _ := os.ReadFile(path)
	follow := &follower{path: path, out: out, seen: seen, apply: func(file fleetfile.File) error {
		workers.hire(ctx, file.Pools)
		return configure(ctx, c, o.fleet, file)
	}}
	if err := follow.run(ctx, served); err != nil {
		return err
	}
	if workers.size() > 0 {
		fmt.Fprintln(out, "the workers finish their current steps; interrupt again to end their agents now")
	}
	go endSooner(workers)
	workers.running.Wait()
	end()
	if !ours {
		return nil
	}
	return <-served
}

// endSooner ends the workers' agents at the next interrupt.
func endSooner(workers *crew) {
	again := make(chan os.Signal, 1)
	signal.Notify(again, os.Interrupt, syscall.SIGTERM)
	for range again {
		workers.endNow()
	}
}

// claimServer locks a server's folder until the lock is closed. Two servers on one database, each
// with its own port, take it from each other until neither answers.
func claimServer(folder string) (io.Closer, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	lock, err := (durable.OS{}).LockNow(filepath.Join(folder, ".server.lock"))
	switch {
	case errors.Is(err, durable.ErrHeld):
		return nil, fmt.Errorf("a server is already running on %s, started by another warp-fleet up or left by a killed one: stop it, or use it with --connect and another --fleet", folder)
	case err != nil:
		return nil, fmt.Errorf("claiming the server's folder %s: %w", folder, err)
	}
	return lock, nil
}

// serve starts the server, unless one of this fleet is running.
func (o *upOptions) serve(ctx context.Context, dir string, out io.Writer) (chan error, error) {
	program := o.temporal
	if program == "" {
		var err error
		if program, err = devserver.Find(); err != nil {
			return nil, err
		}
	}
	s := devserver.Server{Program: program, Folder: filepath.Join(dir, "server"), Port: o.port, UI: o.ui}
	if c, err := net.Dial("tcp", s.Address()); err == nil {
		_ = c.Close()
		return nil, fmt.Errorf("port %d is in use: choose another with --port, or use that server with --connect %s", o.port, s.Address())
	}
	lock, err := claimServer(s.Folder)
	if err != nil {
		return nil, err
	}
	s.Lock, _ = lock.(io.Reader) // not on Windows
	if o.listen != "" {
		if err := s.Forward(ctx, net.JoinHostPort(o.listen, strconv.Itoa(o.port))); err != nil {
			return nil, err
		}
	}
	o.Address = s.Address()
	done := make(chan error, 1)
	go func() {
		err := s.Run(ctx, func(int) {}, func(why string) { printLine(out, "restarting the server: %s", why) })
		_ = lock.Close()
		done <- err
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

// workerFlags returns the flags to pass on to the workers.
func (o *upOptions) workerFlags() (list []string) {
	for flag, value := range map[string]string{"--fleet": o.fleet, "--connect": o.Address, "--key": o.Options.Fleet, "--api-key-file": o.apiKeyFile, "--namespace": o.Namespace, "--tls-ca": o.CA, "--tls-cert": o.Cert, "--tls-key": o.Key, "--tls-server-name": o.ServerName,
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
