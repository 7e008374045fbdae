package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/feed"
)

// refresh measures rereading what is going on in a project with many sessions, half of them
// running.
func refresh(b *bench) ([]figure, error) {
	const sessions, rounds = 1000, 20
	d := turnstile.Open(filepath.Join(b.dir, "refresh"), turnstile.System())
	for n := range sessions {
		if err := iterate(d, n, n%2 == 1); err != nil {
			return nil, err
		}
	}
	r := feed.Open(d, turnstile.System())
	if _, err := r.Read(); err != nil {
		return nil, err
	}
	var figures []figure
	for changed, most := range map[int]float64{0: 10, 10: 50} {
		least := time.Duration(0)
		for range rounds {
			for n := range changed {
				if err := iterate(d, 2*n, false); err != nil {
					return nil, err
				}
			}
			began := cpu()
			if _, err := r.Read(); err != nil {
				return nil, err
			}
			if took := cpu() - began; least == 0 || took < least {
				least = took
			}
		}
		figures = append(figures, figure{name: fmt.Sprintf("CPU of refreshing %d sessions of which %d have changed", sessions, changed), value: ms(least), unit: "ms", most: most})
	}
	return figures, nil
}

// iterate begins a session, runs one more iteration, or ends it.
func iterate(d *turnstile.Drive, n int, ends bool) error {
	name, now := fmt.Sprintf("s%d", n), time.Now()
	_, err := documents.OpenSession(d.Store(), name).Update(func(tx *durable.Tx[sessionstate.State]) (err error) {
		if tx.Doc == nil {
			tx.Doc, err = sessionstate.Begin(sessionstate.Beginning{Session: name}, now)
		} else {
			tx.Doc.Iteration++
		}
		if err == nil && ends {
			err = tx.Doc.End(sessionstate.ReasonStopped, "it was stopped", now)
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.Store().Append(event.Run, evidence.Run{Work: "session " + name, Input: 1_000_000, MicroUSD: 1_000_000}) // enough to show in every sum
}

// watchers checks that a drive costs the same however many watch it, come and go. It compares the
// CPU time of its own process, without git and the agent; watched and unwatched drives alternate,
// so that other load affects both alike.
func watchers(b *bench, idler string) ([]figure, error) {
	const chunks, many, rounds = 22, 20, 7
	times := make([][]time.Duration, 2)
	for i := range 2 * rounds {
		is := i % 2
		name := fmt.Sprintf("watched-%d-%d", is, i)
		cmd, err := b.driving(name, "off", idler, chunks)
		if err != nil {
			return nil, err
		}
		stop := watch(filepath.Join(b.dir, "drive-"+name), many*is)
		spent, err := ownCPU(cmd)
		stop()
		if err != nil {
			return nil, fmt.Errorf("warp drive: %w", err)
		}
		times[is] = append(times[is], spent)
	}
	m := medians(times)
	return []figure{
		{name: "CPU of an unwatched drive's own process, for each chunk", value: ms(m[0]) / chunks, unit: "ms"},
		{name: fmt.Sprintf("the same with %d watchers, against it", many), value: ratio(m[1], m[0]), unit: "x", most: 1.05},
	}, nil
}

// watch starts many watchers of a project, each for a short while, again and again.
func watch(root string, many int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			for ctx.Err() == nil {
				short, left := context.WithTimeout(ctx, 2*time.Second)
				feed.Open(turnstile.Open(root, turnstile.System()), turnstile.System()).Follow(short, func(*feed.Feed, error) {})
				left()
			}
		})
	}
	return func() { cancel(); all.Wait() }
}
