package dev

import (
	"context"
	"errors"
	"fmt"

	"warp/internal/core/dev"
	"warp/internal/durable"
	"warp/internal/engine/dev/takedown"
)

// hold keeps others from bringing the same environment up, or down, meanwhile.
// Whoever is at it is waited for: what they leave is what is wanted.
func (e *Environment) hold(ctx context.Context) (release func(), err error) {
	me := durable.Process{PID: e.PID}
	me.Stamp, _ = e.Started(e.PID)
	limit, cancel := context.WithTimeout(ctx, e.Wait)
	defer cancel()
	for {
		lease, _, err := e.Store.Acquire("dev-environment", me, e.Started)
		if err == nil {
			return func() { _ = lease.Release() }, nil
		}
		busy := (*durable.LockedError)(nil)
		if !errors.As(err, &busy) {
			return nil, err
		}
		if !pause(limit, firstPause) {
			return nil, fmt.Errorf("the dev environment is being brought up or taken down by process %d: %w", busy.PID, err)
		}
	}
}

// mark is what is in the environment of the server, and of all that it starts.
func (e *Environment) mark() string { return takedown.Mark(e.Root) }

// known is the record; an empty one where there is none.
func (e *Environment) known() (dev.Record, error) {
	v, err := e.record.Read()
	if durable.IsMissing(err) {
		return dev.Record{Version: dev.Version}, nil
	}
	if err != nil {
		return dev.Record{}, err
	}
	return *v.Doc, nil
}

// note changes the record.
func (e *Environment) note(what string, fn func(*dev.Record) error) error {
	_, err := e.record.Update(func(tx *durable.Tx[dev.Record]) error {
		if tx.Doc == nil {
			tx.Doc = &dev.Record{Version: dev.Version}
		}
		tx.Log(what, nil)
		return fn(tx.Doc)
	})
	return err
}
