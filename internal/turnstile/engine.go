package turnstile

import (
	"fmt"
	"slices"

	"warp/internal/core/drive"
	"warp/internal/durable"
)

// What follows is for an engine that drives without a person or an agent to do
// the moving: it holds the drive's lease, so it need not ask whose drive it is.

// Claim makes the engine's process the one that drives. An agent's session that
// owned the drive, because the engine ran it, does not any more.
func (d *Drive) Claim(pid int) (View, error) {
	me := Owner{PID: pid}
	me.Stamp, _ = d.env.Started(pid)
	var v View
	notes, err := d.update(func(tx *durable.Tx[drive.State]) error {
		v = View{State: tx.Doc}
		if OwnerOf(tx.Doc) == me {
			return errUnchanged
		}
		was := tx.Doc.Session.ClaudeSession
		tx.Doc.Own("", me.PID, me.Stamp)
		cfg, _ := d.Settings() // only the doom-loop threshold is wanted
		tx.Doc.Fold(tx.Since, cfg.Limits)
		if p := tx.Doc.Phase; p == drive.Prerequisites || p == drive.Discovering {
			tx.Doc.Accept(d.refs(tx.Doc).tips) // no work is chosen yet: the branches are the user's
		}
		tx.Log("claimed", map[string]string{"from": was})
		return nil
	})
	v.Notes = notes
	if err == errUnchanged {
		return v, nil
	}
	if err == nil {
		d.enlist("")
		err = d.store.RemoveFile(stateFolder + "/" + OwnerFile)
	}
	return v, err
}

// Skip gives the present chunk up, and tells whether there is a next one.
func (d *Drive) Skip() (v View, more bool, err error) {
	tree, err := d.tree()
	if err != nil {
		return View{}, false, err
	}
	v, err = d.change("skipped", func(s *drive.State) error {
		if s.Phase != drive.Coding {
			return fmt.Errorf("a chunk is given up in phase %s, not in %s", drive.Coding, s.Phase)
		}
		more = s.Skip(tree, d.env.Now())
		return nil
	})
	return v, more, err
}

// Outrun parks the drive for a reason that its own counters do not know.
func (d *Drive) Outrun(reason string) (View, error) {
	return d.change("outrun", func(s *drive.State) error {
		if !s.Outrun(reason, d.env.Now()) {
			return fmt.Errorf("no budget is held against phase %s", s.Phase)
		}
		return nil
	})
}

// Reconcile sets the counters to what git and the tracker show, and names those
// that were wrong.
func (d *Drive) Reconcile(commits []string, reports int) (wrong []string, err error) {
	v, err := d.Read()
	if err != nil {
		return nil, err
	}
	if len(v.State.Reconcile(slices.Clone(commits), reports)) == 0 {
		return nil, nil
	}
	_, err = d.change("reconciled", func(s *drive.State) error {
		wrong = s.Reconcile(commits, reports)
		return nil
	})
	return wrong, err
}

// Still vouches for the work tree: nothing of the drive changes it until Stir is
// called, so that it need not be looked at again and again.
func (d *Drive) Still(tree string) { d.still = tree }

// Stir says that the work tree may have changed.
func (d *Drive) Stir() { d.still = "" }

// Tree is the fingerprint of the work tree without the state folder; "" where
// there is no repository.
func (d *Drive) Tree() (string, error) { return d.tree() }

// Home is the store of the main worktree, which keeps what outlives a worktree.
func (d *Drive) Home() *durable.Store { return d.home() }
