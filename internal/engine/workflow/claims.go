package workflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/core/workflow"
	"warp/internal/core/workflow/claim"
)

// claimLease is how long a claim of files holds without being renewed.
const claimLease = 10 * time.Minute

// hold is the claim of a task.
type hold struct {
	*run
	id string
}

func (j *job) hold() hold { return hold{j.run, j.ID} }

func (h hold) holder() string { return fmt.Sprintf("%s/%d", h.Process.Host, h.Process.PID) }

// claim claims files for the task, in place of what it had claimed. What another
// task has is waited for by a person's leave.
func (h hold) claim(files []string) error {
	err := h.try(files)
	var c *claim.Conflict
	if errors.As(err, &c) {
		return h.pause(workflow.PausedPerson, c.Error(), h.id)
	}
	return err
}

func (h hold) try(files []string) error {
	return h.locks.Update("claimed "+h.id, func(l *claim.Locks) error { return l.Claim(h.id, h.holder(), files, h.Now(), claimLease) })
}

// renew keeps the claim of a task; false when it is lost.
func (h hold) renew() (held bool, err error) {
	err = h.locks.Update("renewed "+h.id, func(l *claim.Locks) error { held = l.Renew(h.id, h.holder(), h.Now(), claimLease); return nil })
	return held, err
}

// keep renews the claim while agents and commands take longer than its lease.
func (h hold) keep(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(claimLease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_, _ = h.renew() // each iteration does so, too, and claims again what is lost
			}
		}
	}()
	return func() { cancel(); <-over }
}

func (h hold) release() error {
	return h.locks.Update("released "+h.id, func(l *claim.Locks) error { l.Release(h.id, h.holder()); return nil })
}

// freeClaims takes all claims away: the workflow's lease is ours, so the process
// that claimed files before is gone, and what we claimed we need no more at the end.
func (r *run) freeClaims() error {
	v, err := r.locks.Doc.Read()
	if err != nil || len(v.Doc.Locks) == 0 {
		return nil // none, then; what is damaged is repaired by the next claim
	}
	return r.locks.Update("freed", func(l *claim.Locks) error { l.Sweep(r.Now(), func(string) bool { return true }); return nil })
}
