package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/fleetview"
	"warp/internal/fleet/devserver"
)

// fleetServer is a real Temporal server for the nights of one run.
type fleetServer struct {
	devserver.Server
	pid  int
	stop context.CancelFunc
	done chan error
}

func startFleetServer(dir string) (*fleetServer, error) {
	program, err := devserver.Find()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := errors.Join(l.Close(), os.MkdirAll(dir, 0o755)); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &fleetServer{Server: devserver.Server{Program: program, Folder: dir, Port: port}, stop: stop, done: make(chan error, 1)}
	started := make(chan int, 10)
	go func() { s.done <- s.Run(ctx, func(pid int) { started <- pid }, func(string) {}) }()
	s.pid = <-started
	wait, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return s, s.Wait(wait)
}

func (s *fleetServer) end() {
	s.stop()
	<-s.done
}

// night is a fleet with its own name on a server, and its work.
type night struct {
	b            *bench
	server       *fleetServer
	name         string
	workers      int
	slots        int // of each worker
	repositories int
	issues       int // of each repository
	warp         string
	least, most  time.Duration // of the stand-in's agent
	env          []string
	processes    []*exec.Cmd // of the workers
	up           *exec.Cmd
}

func (n *night) dir() string { return filepath.Join(n.b.dir, "night-"+n.name) }

func (n *night) log() string { return filepath.Join(n.dir(), "merged.log") }

func (n *night) total() int { return n.repositories * n.issues }

func (n *night) command(args ...string) *exec.Cmd {
	cmd := exec.Command(n.b.fleet, append([]string{args[0], "--connect", n.server.Address(), "--fleet", n.name}, args[1:]...)...)
	cmd.Dir = n.dir()
	cmd.Env = append(os.Environ(), "WARP_FLEET_HOME="+n.dir(), "HOME="+n.dir(), "TEMPORAL_CONFIG_FILE="+filepath.Join(n.dir(), "none.toml"), "GIT_CONFIG_NOSYSTEM=1",
		"CONDUCTED_LOG="+n.log(), "CONDUCTED_ISSUES="+strconv.Itoa(n.issues), "CONDUCTED_LEAST="+n.least.String(), "CONDUCTED_MOST="+n.most.String())
	cmd.Env = append(cmd.Env, n.env...)
	return cmd
}

// begin makes empty repositories and starts the fleet with its workers.
func (n *night) begin() error {
	if err := os.MkdirAll(n.dir(), 0o755); err != nil {
		return err
	}
	seed := filepath.Join(n.dir(), "seed")
	if err := n.b.workshop(seed, "true"); err != nil {
		return err
	}
	var urls []string
	for i := range n.repositories {
		urls = append(urls, filepath.Join(n.dir(), fmt.Sprintf("%s-repo%d.git", n.name, i+1)))
		if err := in(n.dir(), "git", "clone", "-q", "--bare", seed, urls[i]); err != nil {
			return err
		}
	}
	return n.start(urls)
}

// start starts the fleet and its workers on existing repositories.
func (n *night) start(urls []string) error {
	var file strings.Builder
	file.WriteString("repositories:\n")
	for _, url := range urls {
		fmt.Fprintf(&file, "  - {url: '%s', level: 3, target: main, pool: all}\n", url)
	}
	fmt.Fprintf(&file, "pools:\n  - {label: all, slots: %d, agents: [command], accounts: [one]}\naccounts:\n  - {name: one, agent: command}\n", n.slots)
	if err := os.WriteFile(filepath.Join(n.dir(), "fleet.yaml"), []byte(file.String()), 0o644); err != nil {
		return err
	}
	n.up = n.command("up", "fleet.yaml", "--workers", "0")
	out, err := n.up.StdoutPipe()
	if err == nil {
		n.up.Stderr = os.Stderr
		err = n.up.Start()
	}
	if err != nil {
		return err
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // wait until it reports that it is up
		return fmt.Errorf("warp-fleet up: %w", err)
	}
	go func() { _, _ = out.Read(make([]byte, 4096)) }()
	for i := range n.workers {
		cmd := n.command("worker", "--name", fmt.Sprintf("%s-%d", n.name, i+1), "--pool", "all", "--slots", strconv.Itoa(n.slots), "--warp", n.warp)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			return err
		}
		n.processes = append(n.processes, cmd)
	}
	return n.await("its workers", func() (bool, error) {
		s, err := n.status()
		return err == nil && len(s.Machines) == n.workers, nil
	})
}

// end ends the fleet's processes, and with them their drives.
func (n *night) end() {
	for _, cmd := range append(n.processes, n.up) {
		if cmd != nil && cmd.Process != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
}

func (n *night) submit() error {
	if out, err := n.command("submit").CombinedOutput(); err != nil {
		return fmt.Errorf("warp-fleet submit: %w\n%s", err, out)
	}
	return nil
}

func (n *night) status() (v fleetview.View, err error) {
	out, err := n.command("status", "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	return v, err
}

// patience is how long a night may go without a merge.
const patience = 3 * time.Minute

// await waits for a condition, as long as merges continue.
func (n *night) await(what string, ok func() (bool, error)) error {
	size, moved := int64(0), time.Now()
	for {
		if done, err := ok(); done || err != nil {
			return err
		}
		if info, err := os.Stat(n.log()); err == nil && info.Size() > size {
			size, moved = info.Size(), time.Now()
		}
		if time.Since(moved) > patience {
			return fmt.Errorf("night %s: waiting for %s: nothing has happened for %s", n.name, what, patience)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// drive waits until everything is merged, and returns the time from the first begin to the last
// merge.
func (n *night) drive() (took time.Duration, err error) {
	if err := n.submit(); err != nil {
		return 0, err
	}
	err = n.await("everything merged", func() (bool, error) {
		text, err := os.ReadFile(n.log())
		return strings.Count(string(text), "merge ") >= n.total(), notMissing(err)
	})
	if err != nil {
		return 0, err
	}
	if took, err = n.readLog(); err != nil {
		return 0, err
	}
	return took, n.await("the fleet knows of it", func() (bool, error) {
		v, err := n.status()
		if err == nil && len(v.Parked) > 0 {
			err = fmt.Errorf("%s#%s is parked: %s", v.Parked[0].Repo, v.Parked[0].Issue, v.Parked[0].Why)
		}
		return v.Merged == n.total(), err
	})
}

func notMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// readLog checks the log of the stand-ins: everything must be merged exactly once.
func (n *night) readLog() (time.Duration, error) {
	text, err := os.ReadFile(n.log())
	if err != nil {
		return 0, err
	}
	merged := map[string]int{}
	var first, last int64
	for line := range strings.Lines(string(text)) {
		var what, id string
		var at int64
		if _, err := fmt.Sscan(line, &what, &id, &at); err != nil {
			return 0, fmt.Errorf("%s: %q: %w", n.log(), line, err)
		}
		if first == 0 || at < first {
			first = at
		}
		if what == "merge" {
			merged[id]++
			last = max(last, at)
		}
		if merged[id] > 1 {
			return 0, fmt.Errorf("%s was merged %d times", id, merged[id])
		}
	}
	if len(merged) != n.total() {
		return 0, fmt.Errorf("%d of %d were merged", len(merged), n.total())
	}
	return time.Duration(last - first), nil
}
