// Package takedown ends a dev environment's server and everything it started: by the record, and by
// a mark in their environment, which outlives the record and the work tree. It is called before a
// work tree is removed. It links no network code.
package takedown

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"warp/internal/core/devconfig"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// Record returns the document about a work tree's environment.
func Record(store *durable.Store) *durable.Doc[devconfig.Record] {
	return durable.Open(store, devconfig.RecordFile, durable.Kind[devconfig.Record]{Name: "dev", Version: devconfig.Version})
}

// Mark returns the variable that marks a work tree's server and everything it starts: they can be
// found by it when everything else is lost.
func Mark(root string) string {
	real, err := filepath.EvalSymlinks(root)
	if err != nil { // it is gone
		if real, err = filepath.EvalSymlinks(filepath.Dir(root)); err != nil {
			real = filepath.Dir(root)
		}
		real = filepath.Join(real, filepath.Base(root))
	}
	sum := sha256.Sum256([]byte(real))
	return "WARP_DEV=" + hex.EncodeToString(sum[:12])
}

// Alive reports whether a process with a start time is still running.
func Alive(started durable.Started, pid int, stamp string) bool {
	if pid <= 0 {
		return false
	}
	have, alive := started(pid)
	return alive && (stamp == "" || have == "" || have == stamp)
}

const (
	// patience is how long a supervisor may take to end its server cleanly.
	patience = 10 * time.Second
	step     = 10 * time.Millisecond
)

// Server asks the supervisor of a work tree to end its server, and kills whatever is left. If
// nothing runs, nothing is written.
func Server(ctx context.Context, store *durable.Store, root string, started durable.Started) error {
	record := Record(store)
	v, err := record.Read()
	if err != nil && !durable.IsMissing(err) {
		return err
	}
	var s *devconfig.Running
	if err == nil {
		s = v.Doc.Server
	}
	if s != nil {
		ask(ctx, s, started)
	}
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for kill(s, Mark(root), started) {
		if !Pause(limit, step) {
			return errors.New("the server was killed but did not end: it may belong to another user")
		}
	}
	if s == nil {
		return nil
	}
	_, err = record.Update(func(tx *durable.Tx[devconfig.Record]) error {
		tx.Log("down", nil)
		if tx.Doc != nil {
			tx.Doc.Server = nil
		}
		return nil
	})
	return err
}

// kill kills what is left of a server, and reports whether anything was.
func kill(s *devconfig.Running, mark string, started durable.Started) (left bool) {
	if s != nil && Alive(started, s.Supervisor, s.Stamp) {
		proc.EndGroup(s.Supervisor)
		left = true
	}
	if s != nil && Alive(started, s.PID, s.PIDStamp) {
		proc.EndGroup(s.PID)
		left = true
	}
	return len(proc.EndMarked(mark)) > 0 || left
}

// ask tells the supervisor to end, and waits until it has.
func ask(ctx context.Context, s *devconfig.Running, started durable.Started) {
	p, err := os.FindProcess(s.Supervisor)
	if err != nil || !Alive(started, s.Supervisor, s.Stamp) || p.Signal(syscall.SIGTERM) != nil {
		return
	}
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for Alive(started, s.Supervisor, s.Stamp) && Pause(limit, step) {
	}
}

// Pause waits, and reports whether to continue.
func Pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
