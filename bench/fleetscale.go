package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"time"

	"warp/internal/core/fleetfile"
	"warp/internal/core/simulate"
)

// Agents take so long that coordination is a small part of a night, as with real agents, even on
// two processors that also run the server.

// simulateFleet simulates a night several times and returns the median by duration.
func simulateFleet(slots, requirements, repositories int, agent, train string) (simulate.Result, error) {
	f := &fleetfile.File{Pools: []fleetfile.Pool{{Label: "all", Slots: 1, Accounts: []string{"one"}}}, Accounts: []fleetfile.Account{{Name: "one"}}}
	for n := range repositories {
		f.Repositories = append(f.Repositories, fleetfile.Repository{Name: fmt.Sprintf("repo%d", n+1)})
	}
	var results []simulate.Result
	for seed := range uint64(5) {
		p := simulate.Plan{Fleet: f, Requirements: requirements, Workers: slots, Begin: time.Date(2026, 3, 2, 22, 0, 0, 0, time.UTC), Tries: 1, Random: rand.New(rand.NewPCG(seed, 0))}
		var err error
		if p.Agent, err = simulate.ParseDistribution(agent); err != nil {
			return simulate.Result{}, err
		}
		if p.Train, err = simulate.ParseDistribution(train); err != nil {
			return simulate.Result{}, err
		}
		r, err := simulate.Run(p)
		if err != nil {
			return r, err
		}
		results = append(results, r)
	}
	slices.SortFunc(results, func(a, b simulate.Result) int { return int(a.Took - b.Took) })
	return results[len(results)/2], nil
}

// scaling checks that twice the workers on twice the work take hardly longer: by simulation up to
// 1,000 slots, and measured where agents take most of the time.
func scaling(b *bench, server *fleetServer, _ fleetSize) ([]figure, error) {
	const perSlot = 10
	worst := 0.0
	took := map[int]time.Duration{}
	fmt.Printf("\nby simulation, %d requirements for each slot, one repository for every 5 slots, an agent of lognormal(12m,0.6):\n%8s %14s %10s %9s %12s\n", perSlot, "slots", "requirements", "took", "an hour", "slots busy")
	for _, slots := range []int{10, 20, 50, 100, 200, 500, 1000} {
		r, err := simulateFleet(slots, slots*perSlot, slots/5, "lognormal(12m,0.6)", "lognormal(30s,0.4)")
		if err != nil {
			return nil, err
		}
		took[slots] = r.Took
		fmt.Printf("%8d %14d %10s %9.0f %11.0f%%\n", slots, slots*perSlot, r.Took.Round(time.Minute), float64(r.Merged)/r.Took.Hours(), 100*r.Slots)
	}
	fmt.Println()
	for _, slots := range []int{10, 50, 100, 500} {
		worst = max(worst, ratio(took[2*slots], took[slots]))
	}
	var real [2]time.Duration
	for i := range real {
		var err error
		if real[i], err = b.sleepyNight(server, fmt.Sprintf("doubled%d", i), 10*(i+1), 30*(i+1), 5*(i+1), 40*time.Second, 40*time.Second); err != nil {
			return nil, err
		}
	}
	return []figure{
		{name: "twice the slots on twice the work, by simulation up to 1,000", value: worst, unit: "x", most: 1.2},
		{name: "20 slots on 60 requirements, against 10 on 30, measured", value: ratio(real[1], real[0]), unit: "x", most: 1.2, note: fmt.Sprintf("  (%.0f s, %.0f s; an agent of 40 s)", real[1].Seconds(), real[0].Seconds())},
	}, nil
}

// sleepyNight runs a real night whose agent sleeps.
func (b *bench) sleepyNight(server *fleetServer, name string, slots, requirements, repositories int, least, most time.Duration) (time.Duration, error) {
	n := &night{b: b, server: server, name: name, workers: 2, slots: slots / 2, repositories: repositories, issues: requirements / repositories, warp: filepath.Join(b.dir, "conducted"), least: least, most: most}
	defer n.end()
	if err := n.begin(); err != nil {
		return 0, err
	}
	return n.drive()
}

// calibration compares the simulation with a real night.
func calibration(b *bench, server *fleetServer, _ fleetSize) ([]figure, error) {
	const slots, requirements, repositories = 8, 40, 4
	r, err := simulateFleet(slots, requirements, repositories, "uniform(12s,28s)", "fixed(0s)")
	if err != nil {
		return nil, err
	}
	real, err := b.sleepyNight(server, "calibration", slots, requirements, repositories, 12*time.Second, 28*time.Second)
	if err != nil {
		return nil, err
	}
	if r.Merged != requirements {
		return nil, fmt.Errorf("the simulation merged %d of %d, the night all", r.Merged, requirements)
	}
	return []figure{{name: "a real night of 8 slots, 40 requirements, against its simulation", value: ratio(real, r.Took), unit: "x", least: 0.85, most: 1.15,
		note: fmt.Sprintf("  (%.1f s and %.1f s, %d merged in both)", real.Seconds(), r.Took.Seconds(), r.Merged)}}, nil
}
