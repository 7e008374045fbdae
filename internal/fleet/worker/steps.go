package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.temporal.io/sdk/temporal"

	"warp/internal/core/conduct"
	"warp/internal/fleet/flow"
)

// seat is where a worker drives one requirement. One activity uses it at a time.
type seat struct {
	sync.Mutex
	drive *process // nil: none runs
}

func failStep(kind string, err error) error {
	return temporal.NewNonRetryableApplicationError(err.Error(), kind, nil)
}

// BeginWork is an activity: it makes the requirement's clone, or finds it, and starts its
// drive, which takes over what was pushed by whoever had it before.
func (w *Worker) BeginWork(ctx context.Context, work flow.Work) (flow.Stepped, error) {
	return w.step(ctx, work, func(ctx context.Context, s *seat, p *pulse) (flow.Stepped, error) {
		if s.drive != nil {
			s.drive.kill()
			s.drive = nil
		}
		return w.begin(ctx, s, work, p)
	})
}

// TakeStep is an activity: it lets the drive take one phase.
func (w *Worker) TakeStep(ctx context.Context, step flow.Step) (flow.Stepped, error) {
	return w.step(ctx, step.Work, func(ctx context.Context, s *seat, p *pulse) (flow.Stepped, error) {
		if s.drive == nil { // this worker was started anew
			if at, err := w.begin(ctx, s, step.Work, p); err != nil || at.Outcome != nil || at.Ask != nil {
				return at, err
			}
		}
		asked := s.drive.pending
		if asked == nil {
			return flow.Stepped{}, failStep(flow.StepBroken, errors.New("the drive has not asked for its next phase"))
		}
		r := conduct.Reply{Serial: asked.Serial, Go: step.Deny == "", Why: step.Deny, MicroUSD: step.MicroUSD}
		if asked.Kind == conduct.Question && step.Answer != nil && step.Answer.Question == asked.Ask.ID {
			r.Answer, r.By = step.Answer.Text, step.Answer.By
		}
		s.drive.pending = nil
		if err := s.drive.reply(r); err != nil {
			return flow.Stepped{}, w.dropDrive(s, err)
		}
		return w.follow(ctx, s, p)
	})
}

// LeaveWork is an activity: it ends the drive and keeps its clone.
func (w *Worker) LeaveWork(ctx context.Context, work flow.Work) error {
	s := w.seatOf(work)
	s.Lock()
	defer s.Unlock()
	if s.drive != nil {
		s.drive.kill()
		s.drive = nil
	}
	return nil
}

// step takes the seat and keeps the step alive on the server while fn works. A step that
// is lost ends its drive before anything else.
func (w *Worker) step(ctx context.Context, work flow.Work, fn func(context.Context, *seat, *pulse) (flow.Stepped, error)) (flow.Stepped, error) {
	s := w.seatOf(work)
	s.Lock()
	defer s.Unlock()
	ctx, p, err := startPulse(ctx, w.Client, s.drive)
	if err != nil {
		return flow.Stepped{}, failStep(flow.WorkerLost, err)
	}
	defer p.end()
	out, err := fn(ctx, s, p)
	if err != nil && ctx.Err() != nil {
		err = failStep(flow.WorkerLost, context.Cause(ctx))
	}
	if err == nil && out.Outcome != nil && out.Outcome.Limited == nil {
		out.Evidence = w.readEvidence(ctx, work)
	}
	return out, err
}

func (w *Worker) seatOf(work flow.Work) *seat {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := flow.RequirementID(work.Repository.Name, work.Issue)
	if w.seats[id] == nil {
		w.seats[id] = &seat{}
	}
	return w.seats[id]
}

func (w *Worker) begin(ctx context.Context, s *seat, work flow.Work, p *pulse) (flow.Stepped, error) {
	dir, err := w.prepareClone(ctx, work)
	if err != nil {
		return flow.Stepped{}, failStep(flow.StepBroken, err)
	}
	if err := noteAttempt(dir, work.Attempt); err != nil {
		return flow.Stepped{}, failStep(flow.StepBroken, err)
	}
	argv := []string{w.Warp, "drive", work.Issue, "--conducted"}
	if work.Repository.Level > 0 {
		argv = append(argv, fmt.Sprintf("--level=%d", work.Repository.Level))
	}
	if work.Account.Agent != "" {
		argv = append(argv, "--agent="+work.Account.Agent)
	}
	env := append(w.accountEnv(work.Account.Name), "WARP_FLEET="+work.Fleet)
	s.drive = startProcess(argv, dir, filepath.Join(filepath.Dir(dir), "log-"+work.Issue+".txt"), "WARP_FLEET_WORK="+strings.ReplaceAll(dir, "\n", " "), env)
	p.drive.Store(s.drive)
	return w.follow(ctx, s, p)
}

// follow listens to the drive until it asks for what only the fleet decides. Pushes and
// filings are let through as long as the server says that this attempt is the one.
func (w *Worker) follow(ctx context.Context, s *seat, p *pulse) (flow.Stepped, error) {
	for {
		var say conduct.Say
		var ok bool
		select {
		case <-ctx.Done():
			s.drive.kill()
			s.drive = nil
			return flow.Stepped{}, context.Cause(ctx)
		case say, ok = <-s.drive.says:
		}
		if !ok {
			return flow.Stepped{}, w.dropDrive(s, errors.New(s.drive.describe()))
		}
		p.tell(say)
		switch say.Kind {
		case conduct.Push, conduct.File:
			if err := w.fence(ctx, s, p, say); err != nil {
				return flow.Stepped{}, err
			}
		case conduct.Phase:
			s.drive.pending = &say
			return flow.Stepped{Phase: say.Phase, Agent: say.Agent, Spent: say.Spent}, nil
		case conduct.Question:
			s.drive.pending = &say
			return flow.Stepped{Ask: say.Ask, Spent: say.Spent}, nil
		case conduct.End:
			s.drive.kill()
			s.drive = nil
			return flow.Stepped{Outcome: say.Outcome, Spent: say.Spent}, nil
		}
	}
}

// fence lets a push or a filing through when the server has just acknowledged this
// attempt.
func (w *Worker) fence(ctx context.Context, s *seat, p *pulse, say conduct.Say) error {
	for {
		err := p.check(ctx)
		if err == nil {
			return s.drive.reply(conduct.Reply{Serial: say.Serial, Go: true})
		}
		if isGone(err) || ctx.Err() != nil {
			s.drive.kill()
			s.drive = nil
			return failStep(flow.WorkerLost, fmt.Errorf("%s %s was not let through: %w", say.Kind, say.What, err))
		}
		select { // the pulse decides when it has taken too long
		case <-ctx.Done():
		case <-time.After(p.timeout / 16):
		}
	}
}

func (w *Worker) dropDrive(s *seat, err error) error {
	s.drive.kill()
	s.drive = nil
	return failStep(flow.StepBroken, err)
}
