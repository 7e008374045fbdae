package recovery

import (
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// free refuses to touch a drive that somebody drives.
func (r *Recovery) free(at *standing) error {
	if at == nil {
		return nil
	}
	if owner := turnstile.OwnerOf(at.state); !at.Ownership.IsGone(owner) {
		return &turnstile.ActiveError{Issue: at.state.Issue(), Phase: at.state.Phase, PID: owner.PID}
	}
	return r.undriven(at.Root())
}

// undriven refuses a work tree in which an engine works.
func (r *Recovery) undriven(root string) error {
	leases, err := r.leases()
	for _, l := range leases {
		if l.root == root && l.Name == engineLease && !l.Dead {
			return &durable.LockedError{What: "the drive", PID: l.PID, Age: l.Age}
		}
	}
	return err
}

// vacant refuses, before anything is changed, the place where a drive is to go
// on: an engine may work there whose state is gone, or the drive of another
// requirement may be unfinished.
func (r *Recovery) vacant(root, issue string) error {
	for _, s := range r.standings() {
		if s.Root() == root && s.err == nil && s.state.Phase.Active() && s.state.Issue() != issue {
			owner := turnstile.OwnerOf(s.state)
			return &turnstile.ActiveError{Issue: s.state.Issue(), Phase: s.state.Phase, PID: owner.PID, Stale: s.Ownership.IsGone(owner)}
		}
	}
	return r.undriven(root)
}

// place is where a drive is to go on. Without a commit that is the main work
// tree: the drive makes its branch, and its own work tree, itself.
func (o Options) place(r *Recovery, c chosen, b branch) string {
	if o.apart(c) && b.tip != "" {
		return r.Apart(c.issue)
	}
	return r.Main.Root()
}

func (o Options) apart(c chosen) bool { return c.apart && !o.InPlace || o.Apart }
