package workflow

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/core/workflow"
	"warp/internal/core/workflow/claim"
	"warp/internal/durable"
)

// claimLease is how long a claim of files holds without being renewed.
const claimLease = 10 * time.Minute

func (r *run) holder() string { return fmt.Sprintf("%s/%d", r.Host, r.PID) }

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
	_, err := j.locks.Update(func(tx *durable.Tx[claim.Locks]) error {
		if tx.Doc == nil {
			tx.Doc = &claim.Locks{}
		}
		tx.Log("claimed "+j.ID, nil)
		return tx.Doc.Claim(j.ID, j.holder(), files, j.Now(), claimLease)
	})
	return err
}

// renew keeps the claim of a task; false when it is lost.
func (j *job) renew() (held bool, err error) {
	_, err = j.locks.Update(func(tx *durable.Tx[claim.Locks]) error {
		held = tx.Doc != nil && tx.Doc.Renew(j.ID, j.holder(), j.Now(), claimLease)
		return nil
	})
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
	_, err := j.locks.Update(func(tx *durable.Tx[claim.Locks]) error {
		if tx.Doc != nil {
			tx.Doc.Release(j.ID, j.holder())
		}
		return nil
	})
	return err
}

// free takes all claims away: the workflow's lease is ours, so whoever claimed
// files before is gone, and what we claimed ourselves we need no more at the end.
func (r *run) free() error {
	v, err := r.locks.Read()
	if err != nil || len(v.Doc.Locks) == 0 {
		return nil // none, then; what is damaged is mended by the next claim
	}
	_, err = r.locks.Update(func(tx *durable.Tx[claim.Locks]) error {
		if tx.Doc != nil {
			tx.Doc.Sweep(r.Now(), func(string) bool { return true })
		}
		return nil
	})
	return err
}
