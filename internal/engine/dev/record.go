package dev

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"warp/internal/core/dev"
	"warp/internal/durable"
)

// hold keeps others from bringing the same environment up, or down, meanwhile.
func (e *Environment) hold() (release func(), err error) {
	me := durable.Process{PID: e.PID}
	me.Stamp, _ = e.Started(e.PID)
	lease, _, err := e.Store.Acquire("dev-environment", me, e.Started)
	if err != nil {
		return nil, err
	}
	return func() { _ = lease.Release() }, nil
}

// mark is what is in the environment of the server, and of all that it starts:
// they are found by it when everything else was lost.
func (e *Environment) mark() string {
	root, err := filepath.EvalSymlinks(e.Root)
	if err != nil {
		root = e.Root
	}
	sum := sha256.Sum256([]byte(root))
	return "WARP_DEV=" + hex.EncodeToString(sum[:12])
}

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
