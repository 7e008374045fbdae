package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/durable"
	"warp/internal/engine/agent"
)

// claimLease is how long a claim of files lasts without being renewed.
const claimLease = 10 * time.Minute

var claims = durable.Kind[claim.Locks]{Name: claim.DocumentName, Validate: claim.Validate}

// hold is the claim of a task.
type hold struct {
	run          *run
	task, holder string
}

func (r *run) holdOf(task string) hold {
	return hold{r, task, fmt.Sprintf("%s/%d", r.Process.Host, r.Process.PID)}
}

func (h hold) update(what string, fn func(*claim.Locks) error) error {
	return h.run.locks.Update(what+" "+h.task, fn)
}

// claim claims files for the task, replacing its earlier claim.
func (h hold) claim(files []string) error {
	return h.update("claimed", func(l *claim.Locks) error { return l.Claim(h.task, h.holder, files, h.run.Now(), claimLease) })
}

// claimOrPause is claim for a task that needs the files now. Another task of this engine keeps its
// files until all parallel tasks are done, so waiting for it here would not help. Files claimed by
// another process are claimed again before an agent works.
func (h hold) claimOrPause(files []string) error {
	err := h.claim(files)
	c := (*claim.Conflict)(nil)
	switch {
	case !errors.As(err, &c):
		return err
	case c.With.Holder != h.holder:
		return nil
	}
	return h.run.pause(workflowstate.PausedPerson, h.task, "%v", c)
}

// askAgain is how often another process's claim is polled.
const askAgain = 500 * time.Millisecond

// claimOrWait claims files, and waits until another process has released its claim or the claim's
// lease has expired.
func (h hold) claimOrWait(ctx context.Context, files []string, q question) error {
	for waits := false; ; {
		err := h.claim(files)
		c := (*claim.Conflict)(nil)
		if !errors.As(err, &c) || c.With.Holder == h.holder {
			if waits {
				q.noteWaiting(h.run, h.task, agent.Wait{})
			}
			return cmp.Or(h.claimOrPause(files), err)
		}
		if !waits {
			until, _ := time.Parse(time.RFC3339, c.With.Expires) // a live claim has one
			if err := q.registerAgent(h.run, h.task); err != nil {
				return err
			}
			q.noteWaiting(h.run, h.task, agent.Wait{Why: c.Error(), Until: until})
			waits = true
		}
		if err := h.run.withinBounds(h.task); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(askAgain):
		}
	}
}

// renewClaim renews the claim while agents and commands run longer than its lease. A lost claim is
// claimed again by the next iteration.
func (h hold) renewClaim(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		tick := time.NewTicker(claimLease / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = h.update("renewed", func(l *claim.Locks) error {
					l.Renew(h.task, h.holder, h.run.Now(), claimLease)
					return nil
				})
			}
		}
	})
	return func() {
		cancel()
		renewing.Wait()
	}
}

func (h hold) release() error {
	return h.update("released", func(l *claim.Locks) error {
		l.Release(h.task, h.holder)
		return nil
	})
}

// freeClaims releases all claims: we hold the workflow's lease, so the process that claimed files
// before is gone, and at the end we need none.
func (r *run) freeClaims() error {
	v, err := r.locks.Doc.Read()
	if err != nil || len(v.Doc.Locks) == 0 {
		return nil // none; a damaged file is repaired by the next claim
	}
	return r.locks.Update("freed", func(l *claim.Locks) error {
		l.Sweep(r.Now(), func(string) bool { return true })
		return nil
	})
}
