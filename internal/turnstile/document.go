package turnstile

import (
	"math"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
)

// document is the drive's state on disk. It folds in observers' rows and knows nothing of events,
// gates or branches.
type document struct {
	project *Project
	file    *durable.Doc[drivestate.State]
}

// read reads the state, folds in observations, and determines whether the drive is stale.
func (d *document) read() (View, error) {
	v, err := d.file.Read()
	if err != nil {
		return View{}, err
	}
	if len(v.Since) > 0 {
		s, _ := d.project.Settings()
		v.Doc.Fold(v.Since, s.Limits)
	}
	out := newView(v)
	out.Stale = d.isStale(v.Doc)
	if w := v.Doc.Waiting; w != nil {
		if until, err := time.Parse(time.RFC3339, w.Until); err != nil || d.project.env.Now().After(until) {
			v.Doc.Waiting = nil // the waiting process is gone
		}
	}
	return out, nil
}

// peek is read without settings or process lookups.
func (d *document) peek(glance durable.Glance[drivestate.State], ok bool) (View, error) {
	read := d.file.Read
	if ok {
		read = glance.Read
	}
	v, err := read()
	if err != nil {
		return View{}, err
	}
	v.Doc.Fold(v.Since, drivestate.Limits{EditsPerFile: math.MaxInt32})
	return newView(v), nil
}

// isStale reports whether the driving process is gone.
func (d *document) isStale(s *drivestate.State) bool {
	return d.project.env.Started.IsGone(s.Session.PID, s.Session.PIDStamp)
}

// update changes the drive's document. A project without a store has no session, and update must
// not create one.
func (d *document) update(fn func(*durable.Tx[drivestate.State]) error) ([]string, error) {
	missing := &durable.MissingError{Path: d.file.Path()}
	if !d.project.store.Exists() {
		return nil, missing
	}
	return d.file.Update(func(tx *durable.Tx[drivestate.State]) error {
		if tx.Doc == nil {
			return missing
		}
		if tx.Doc.Frozen == nil && d.isTampered(tx.Doc, tx.Foreign) {
			// The next write would make the foreign change look like warp's own.
			tx.Doc.Frozen = &drivestate.Freeze{At: drivestate.Stamp(d.project.env.Now()), State: true}
		}
		return fn(tx)
	})
}

// isTampered reports whether something other than warp wrote the state of a drive that an agent
// owns. Without an agent, a person may edit the file.
func (d *document) isTampered(s *drivestate.State, foreign bool) bool {
	return foreign && s.Phase.Active() && s.Session.ClaudeSession != "" && !s.Override.InForce(d.project.env.Now())
}

// fold folds observers' rows into the document before it is written. Of the settings it needs only
// the doom-loop threshold.
func (d *document) fold(tx *durable.Tx[drivestate.State]) {
	cfg, _ := d.project.Settings()
	tx.Doc.Fold(tx.Since, cfg.Limits)
}

// note is change for changes that cannot fail and whose result is not needed.
func (d *document) note(name string, fn func(s *drivestate.State, now time.Time)) error {
	_, err := d.change(name, func(s *drivestate.State) error { fn(s, d.project.env.Now()); return nil })
	return err
}

// change makes a change that is not an event of the table.
func (d *document) change(name string, fn func(*drivestate.State) error) (View, error) {
	var v View
	notes, err := d.update(func(tx *durable.Tx[drivestate.State]) error {
		d.fold(tx)
		if err := fn(tx.Doc); err != nil {
			return err
		}
		tx.Log(name, nil)
		v = View{State: tx.Doc, Stale: d.isStale(tx.Doc)}
		return nil
	})
	v.Notes = notes
	return v, err
}
