package main

import (
	"flag"
	"fmt"
	"path/filepath"
	"time"
)

// fleetSize is the size of the measured fleet.
type fleetSize struct {
	slots, workers, requirements, repositories int
	part                                       string // "": all
}

// parseFleetSize reads the flags of bench fleet.
func parseFleetSize(args []string) (s fleetSize, err error) {
	f := flag.NewFlagSet("bench fleet", flag.ContinueOnError)
	f.IntVar(&s.slots, "slots", 100, "worker slots")
	f.IntVar(&s.workers, "workers", 4, "worker processes that share the slots")
	f.IntVar(&s.requirements, "requirements", 1000, "requirements")
	f.IntVar(&s.repositories, "repositories", 10, "repositories that share the requirements")
	f.StringVar(&s.part, "part", "", "coordination, scaling or calibration; without: all")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if s.workers < 1 || s.slots < s.workers || s.repositories < 1 || s.requirements < s.repositories || s.slots%s.workers+s.requirements%s.repositories != 0 {
		return s, fmt.Errorf("slots must be a multiple of workers, and requirements one of repositories: %+v", s)
	}
	return s, nil
}

// fleetParts are the parts of make fleet, which run against a server that is already up.
var fleetParts = []struct {
	name string
	run  func(*bench, *fleetServer, fleetSize) ([]figure, error)
}{{"coordination", coordination}, {"scaling", scaling}, {"calibration", calibration}}

// measureFleet prints the figures of a fleet, and fails if one breaks its bound.
func measureFleet(dir string, size fleetSize) error {
	b, err := newBench(dir)
	if err == nil {
		err = b.buildFleet()
	}
	if err != nil {
		return err
	}
	server, err := startFleetServer(filepath.Join(dir, "server"))
	if err != nil {
		return err
	}
	defer server.end()
	broken := 0
	for _, part := range fleetParts {
		if size.part != "" && size.part != part.name {
			continue
		}
		figures, err := part.run(b, server, size)
		if err != nil {
			return err
		}
		for _, x := range figures {
			fmt.Println(x)
			broken += x.broken()
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d figures break their bound", broken)
	}
	return nil
}

// buildFleet builds the fleet's program and the stand-ins.
func (b *bench) buildFleet() error {
	for name, from := range map[string]string{"warp-fleet": "warp/cmd/warp-fleet", "warp-net": "warp/cmd/warp-net", "conducted": "warp/bench/conducted", "idler": "warp/bench/idler"} {
		if err := command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(b.dir, name), from); err != nil {
			return err
		}
	}
	b.fleet = filepath.Join(b.dir, "warp-fleet")
	return nil
}

// coordination measures what a fleet costs besides its drives, with an agent that takes no time.
func coordination(b *bench, server *fleetServer, size fleetSize) ([]figure, error) {
	n := &night{b: b, server: server, name: "coordination", workers: size.workers, slots: size.slots / size.workers, repositories: size.repositories, issues: size.requirements / size.repositories, warp: filepath.Join(b.dir, "conducted")}
	defer n.end()
	if err := n.begin(); err != nil {
		return nil, err
	}
	before, err := n.usage()
	if err != nil {
		return nil, err
	}
	took, err := n.drive()
	if err != nil {
		return nil, err
	}
	after, err := n.usage()
	if err != nil {
		return nil, err
	}
	events, err := n.events()
	if err != nil {
		return nil, err
	}
	var engine time.Duration
	for i := range 3 { // other load only adds to a measurement
		spent, err := b.drive(fmt.Sprintf("engine-%d", i), "off", filepath.Join(b.dir, "idler"), 1)
		if err != nil {
			return nil, err
		}
		if engine == 0 || spent < engine {
			engine = spent
		}
	}
	each := func(d time.Duration) float64 { return ms(d) / float64(n.total()) }
	return []figure{
		{name: fmt.Sprintf("%d requirements on %d slots, all merged once", n.total(), n.workers*n.slots), value: float64(n.total()) / took.Minutes(), unit: "/min", note: fmt.Sprintf("  (%s)", took.Round(time.Second))},
		{name: "CPU of coordination for a requirement, the workers' own", value: each(after.workers - before.workers), unit: "ms", most: 150},
		{name: "CPU of the engine for a requirement of one chunk", value: ms(engine), unit: "ms"},
		{name: "CPU of clones and stand-ins for a requirement", value: each(after.children - before.children), unit: "ms"},
		{name: "CPU of the Temporal server for a requirement", value: each(after.server - before.server), unit: "ms"},
		{name: "events in the history of a requirement, median", value: events.median, unit: "", note: fmt.Sprintf("  (most: %.0f; of a history of the fleet itself: %.0f)", events.most, events.fleet)},
		{name: "memory of a slot, at its most", value: after.memory / float64(n.workers*n.slots), unit: "MB", note: fmt.Sprintf("  (a worker of %d slots: %.0f MB)", n.slots, after.memory/float64(n.workers))},
	}, nil
}
