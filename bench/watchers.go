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
	"warp/internal/ui/feed"
)

// refresh: what it takes to see what is going on again, in a project with many sessions,
// half of them under way.
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

// iterate begins a session, or takes it one iteration further, or ends it.
func iterate(d *turnstile.Drive, n int, ends bool) error {
	name, now := fmt.Sprintf("s%d", n), time.Now()
	_, err := turnstile.OpenSession(d.Store(), name).Update(func(tx *durable.Tx[sessionstate.State]) (err error) {
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
	return d.Store().Append(event.Run, evidence.Run{Work: "session " + name, Input: 10, MicroUSD: 5})
}

// watchers: a drive costs what it costs, however many look at it, come and go.
func watchers(b *bench, idler string) ([]figure, error) {
	const chunks, many = 22, 20
	var alone, watched time.Duration
	for i := range 3 {
		a, err := b.drive(fmt.Sprintf("alone-%d", i), "off", idler, chunks)
		if err != nil {
			return nil, err
		}
		name := fmt.Sprintf("watched-%d", i)
		stop := watch(filepath.Join(b.dir, "drive-"+name), many)
		z, err := b.drive(name, "off", idler, chunks)
		stop()
		if err != nil {
			return nil, err
		}
		if i == 0 || a < alone {
			alone = a
		}
		if i == 0 || z < watched {
			watched = z
		}
	}
	return []figure{{name: fmt.Sprintf("CPU of a drive that %d watch, against an unwatched one", many), value: ratio(watched, alone), unit: "x", most: 1.05}}, nil
}

// watch has many look at a project, each for a short while again and again.
func watch(root string, many int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			for ctx.Err() == nil {
				short, left := context.WithTimeout(ctx, time.Second)
				feed.Open(turnstile.Open(root, turnstile.System()), turnstile.System()).Follow(short, func(*feed.Feed, error) {})
				left()
			}
		})
	}
	return func() { cancel(); all.Wait() }
}
