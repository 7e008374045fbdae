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

func (r *run) holder() string { return fmt.Sprintf("%s/%d", r.Process.Host, r.Process.PID) }

// claim claims files for the task, in place of what it had claimed. What another
// task has is waited for by a person's leave.
func (j *job) claim(files []string) error {
	err := j.claimed(files)
	var c *claim.Conflict
	if errors.As(err, &c) {
		return j.pause(workflow.PausedPerson, c.Error(), j.ID)
	}
	return err
}

func (j *job) claimed(files []string) error {
	return j.locks.Update("claimed "+j.ID, func(l *claim.Locks) error { return l.Claim(j.ID, j.holder(), files, j.Now(), claimLease) })
}

// renew keeps the claim of a task; false when it is lost.
func (j *job) renew() (held bool, err error) {
	err = j.locks.Update("renewed "+j.ID, func(l *claim.Locks) error { held = l.Renew(j.ID, j.holder(), j.Now(), claimLease); return nil })
	return held, err
}

// keepClaim renews the claim while agents and commands take longer than its lease.
func (j *job) keepClaim(ctx context.Context) (stop func()) {
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
				_, _ = j.renew() // each iteration does so, too, and claims again what is lost
			}
		}
	}()
	return func() { cancel(); <-over }
}

func (j *job) release() error {
	return j.locks.Update("released "+j.ID, func(l *claim.Locks) error { l.Release(j.ID, j.holder()); return nil })
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
