package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

// pulse keeps a step alive on the server. The server gives a step to another worker if it hears
// nothing for the timeout; the pulse ends the step's context after half of that without an
// acknowledgement, so that the agent is gone long before.
type pulse struct {
	client  client.Client
	token   []byte // identifies this attempt; invalid once the server has given the step away
	timeout time.Duration
	lost    context.CancelCauseFunc
	drive   atomic.Pointer[process] // the drive to inform how long an acknowledgement is valid
	stop    chan struct{}
	stopped chan struct{}

	mu   sync.Mutex
	beat flow.Beat
}

// errLost means that the server may no longer know this attempt.
var errLost = errors.New("the server has not acknowledged this step for half its time-out")

// startPulse sends the first heartbeat and fails if the server does not acknowledge it.
func startPulse(ctx context.Context, c client.Client, a attempt, drive *process) (context.Context, *pulse, error) {
	p := &pulse{client: c, token: a.token, timeout: a.timeout, stop: make(chan struct{}), stopped: make(chan struct{})}
	p.drive.Store(drive)
	ctx, p.lost = context.WithCancelCause(ctx)
	if err := p.check(ctx); err != nil {
		p.lost(err)
		return ctx, nil, err
	}
	go p.run(ctx)
	return ctx, p, nil
}

func (p *pulse) run(ctx context.Context) {
	defer close(p.stopped)
	last := time.Now()
	tick := time.NewTicker(max(p.timeout/8, 50*time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		sent := time.Now()
		err := p.check(ctx)
		switch {
		case err == nil:
			last = sent
		case isGone(err), passed(last) >= p.timeout/2:
			p.lost(fmt.Errorf("%w: %w", errLost, err))
			return
		}
	}
}

// passed returns the time since a moment by whichever clock counted more: the monotonic clock stops
// while the machine sleeps, and the wall clock can be set back.
func passed(at time.Time) time.Duration {
	return max(time.Since(at), time.Now().Round(0).Sub(at.Round(0)))
}

// check sends a heartbeat and fails if the server no longer waits for this attempt. Its token is
// the fencing token of every push and filing.
func (p *pulse) check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.timeout/4)
	defer cancel()
	p.mu.Lock()
	b := p.beat
	p.mu.Unlock()
	b.At = time.Now()
	err := p.client.RecordActivityHeartbeat(ctx, p.token, b)
	if d := p.drive.Load(); err == nil && d != nil {
		// A drive that hears nothing for this long ends its agent itself: this program may have been
		// stopped.
		_ = d.reply(conduct.Reply{Good: (p.timeout / 2).Milliseconds()})
	}
	return err
}

// isGone reports whether the server says that the attempt is over.
func isGone(err error) bool {
	return flow.IsNone(err) || temporal.IsCanceledError(err)
}

// tell sets the contents of the next heartbeats.
func (p *pulse) tell(s conduct.Say) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.beat.Doing, p.beat.Spent = s.What, s.Spent
	p.beat.Phase = cmp.Or(s.Phase, p.beat.Phase)
}

// account adds the drive's spending to a step's error: it must be paid all the same.
func (p *pulse) account(err error) error {
	var broken *temporal.ApplicationError
	if !errors.As(err, &broken) {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return temporal.NewNonRetryableApplicationError(broken.Message(), broken.Type(), nil, p.beat.Spent)
}

func (p *pulse) end() {
	close(p.stop)
	<-p.stopped
	p.lost(nil)
}
