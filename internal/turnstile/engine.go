package turnstile

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
)

// The methods below are for an engine that drives without a person or an agent firing events. It
// holds the drive's lease, so it need not check who owns the drive.

// Claim makes the engine's process the owner of the drive, with a session as its mind if one is
// given. Any previous session loses the drive.
func (d *Drive) Claim(pid int, mind Mind) (View, error) {
	me := d.Ownership.engine(pid, mind)
	var v View
	changed := false
	notes, err := d.doc.update(func(tx *durable.Tx[drivestate.State]) error {
		v = View{State: tx.Doc}
		if !tx.Undone && isClaimed(tx.Doc, me, mind) {
			return durable.ErrUnchanged
		}
		changed = true
		was := tx.Doc.Session.ClaudeSession
		tx.Doc.Own(me.Session, me.PID, me.Stamp)
		tx.Doc.Session.Headless, tx.Doc.Session.MindPID = true, mind.PID
		d.doc.fold(tx)
		if p := tx.Doc.Phase; p == drivestate.Prerequisites || p == drivestate.Discovering {
			tx.Doc.Accept(d.Watch.readBranches(tx.Doc).tips) // no work is chosen yet, so the user may have moved the branches
		}
		tx.Log("claimed", map[string]string{"from": was})
		return nil
	})
	v.Notes = notes
	if err == nil && changed {
		registerDrive(d.Root(), mind.Session)
		err = d.Ownership.set(me)
	}
	return v, err
}

// Claimed reports whether the engine already owns the drive as it was read, so that claiming it
// would change nothing.
func (w *Ownership) Claimed(v View, pid int, mind Mind) bool {
	return v.State != nil && !v.Undone && isClaimed(v.State, w.engine(pid, mind), mind)
}

// engine returns an engine's process as an owner.
func (w *Ownership) engine(pid int, mind Mind) Owner {
	stamp, _ := w.project.env.Started(pid)
	return Owner{Session: mind.Session, PID: pid, Stamp: stamp}
}

func isClaimed(s *drivestate.State, me Owner, mind Mind) bool {
	return OwnerOf(s) == me && s.Session.MindPID == mind.PID && s.Session.Headless
}

// Mind is the session that an engine works with, and its process. It is empty if the engine's own
// agents do everything.
type Mind struct {
	Session string
	PID     int
}

// Release records that the engine's process stopped working on the drive. Others may change it
// until an engine claims it again.
func (d *Drive) Release(pid int) error {
	_, err := d.doc.change("released", func(s *drivestate.State) error {
		if !drivestate.EngineAt(s) || s.Session.PID != pid {
			return durable.ErrUnchanged
		}
		s.Session.Headless = false
		return nil
	})
	if durable.IsMissing(err) {
		return nil
	}
	return err
}

// SkipChunk gives up the current chunk, and reports whether there is a next one.
func (d *Drive) SkipChunk() (v View, more bool, err error) {
	tree, err := d.Tree.Fingerprint()
	if err != nil {
		return View{}, false, err
	}
	v, err = d.doc.change("skipped", func(s *drivestate.State) error {
		if s.Phase != drivestate.Coding {
			return fmt.Errorf("a chunk is given up in phase %s, not in %s", drivestate.Coding, s.Phase)
		}
		more = s.Skip(tree, d.Project.env.Now())
		return nil
	})
	return v, more, err
}

// ExceedBudget parks the drive for a reason that its own counters do not cover.
func (d *Drive) ExceedBudget(reason string) (View, error) {
	return d.doc.change("outrun", func(s *drivestate.State) error {
		if !s.ParkFor(reason, d.Project.env.Now()) {
			return fmt.Errorf("phase %s has no budget", s.Phase)
		}
		return nil
	})
}

// ReconcileCounters sets the counters to what git and the tracker show, and returns the names of
// those that were wrong.
func (d *Drive) ReconcileCounters(commits []string, reports int) (wrong []string, err error) {
	v, err := d.Read()
	if err != nil {
		return nil, err
	}
	if len(v.State.Reconcile(slices.Clone(commits), reports)) == 0 {
		return nil, nil
	}
	err = d.doc.note("reconciled", func(s *drivestate.State, _ time.Time) { wrong = s.Reconcile(commits, reports) })
	return wrong, err
}

// SetChunkBase sets the tree that the current chunk starts from, so that changes by a person since
// then do not count as the chunk's.
func (d *Drive) SetChunkBase(tree string) error {
	return d.doc.note("chunk base", func(s *drivestate.State, _ time.Time) { s.Chunk.Base = tree })
}
