package worker

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"warp/internal/core/conduct"
	"warp/internal/durable"
	"warp/internal/fleet/flow"
)

// attempt identifies one attempt of the server at a step.
type attempt struct {
	token   []byte
	timeout time.Duration // heartbeat timeout
}

func readAttempt(ctx context.Context) attempt {
	info := activity.GetInfo(ctx)
	return attempt{info.TaskToken, info.HeartbeatTimeout}
}

func failStep(kind string, err error) error {
	return temporal.NewNonRetryableApplicationError(err.Error(), kind, nil)
}

// BeginWork is an activity: it finds or creates the requirement's clone and starts its drive, which
// takes over what the previous worker pushed.
func (w *Worker) BeginWork(ctx context.Context, work flow.Work) (flow.Stepped, error) {
	return w.step(ctx, work, func(ctx context.Context, s *seat, p *pulse) (flow.Stepped, error) {
		s.leave()
		return w.begin(ctx, s, work, p)
	})
}

// TakeStep is an activity: it lets the drive run one phase.
func (w *Worker) TakeStep(ctx context.Context, step flow.Step) (flow.Stepped, error) {
	return w.step(ctx, step.Work, func(ctx context.Context, s *seat, p *pulse) (flow.Stepped, error) {
		if !s.isAt(step) { // this worker restarted, or another of its name took steps
			s.leave()
			step.Work.Steps = step.Serial
			at, err := w.begin(ctx, s, step.Work, p)
			// The drive may now be at another point than the one this step was granted for: money
			// or the turn may be missing, so the workflow decides again. Only an answer to the
			// open question is passed on.
			if err != nil || step.Answer == nil || at.Ask == nil || at.Ask.ID != step.Answer.Question {
				return at, err
			}
		}
		s.serial = step.Serial
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
			return flow.Stepped{}, s.drop(err)
		}
		return s.follow(ctx, p)
	})
}

// LeaveWork is an activity: it ends the drive and keeps its clone. It sends heartbeats, because a
// running step or a resisting agent may delay it.
func (w *Worker) LeaveWork(ctx context.Context, work flow.Work) error {
	_, p, err := startPulse(ctx, w.Client, w.attempt(ctx), nil)
	if err != nil {
		return failStep(flow.WorkerLost, err)
	}
	defer p.end()
	s := w.seats.take(work)
	defer s.Unlock()
	s.leave()
	return nil
}

// step takes the seat and keeps the step alive on the server while fn works. If the step is lost,
// its drive ends before anything else.
func (w *Worker) step(ctx context.Context, work flow.Work, fn func(context.Context, *seat, *pulse) (flow.Stepped, error)) (flow.Stepped, error) {
	s := w.seats.take(work)
	defer s.Unlock()
	ctx, p, err := startPulse(ctx, w.Client, w.attempt(ctx), s.drive)
	if err != nil {
		return flow.Stepped{}, failStep(flow.WorkerLost, err)
	}
	defer p.end()
	out, err := fn(ctx, s, p)
	if err != nil && ctx.Err() != nil {
		err = failStep(flow.WorkerLost, context.Cause(ctx))
	}
	if out.Outcome != nil {
		out.Outcome.Do = adviseFleet(out.Outcome.Do, work.ID())
	}
	ended := out.Outcome != nil && out.Outcome.Limited == nil
	if err == nil && (ended || time.Since(s.told) > evidencePause) {
		out.Evidence, s.told = w.readEvidence(ctx, work, ended), time.Now()
	}
	return out, p.account(err)
}

// resume matches a drive's advice to continue it without more money or time.
var resume = regexp.MustCompile(`\bwarp resume\b( --)?`)

// adviseFleet rewrites a drive's advice for users of a fleet: they are not in the drive's clone, and
// continue a drive by submitting it again.
func adviseFleet(advice, id string) string {
	return resume.ReplaceAllStringFunc(advice, func(found string) string {
		if strings.HasSuffix(found, "--") { // it asks for more money or time, which the fleet cannot give
			return found
		}
		return "warp-fleet submit " + id
	})
}

func (w *Worker) begin(ctx context.Context, s *seat, work flow.Work, p *pulse) (flow.Stepped, error) {
	dir, err := w.prepareClone(ctx, work)
	if err != nil {
		return flow.Stepped{}, failStep(flow.StepBroken, err)
	}
	if err := durable.WriteFile(dir+".attempt", []byte(strconv.Itoa(work.Attempt)+"\n"), 0o600); err != nil {
		return flow.Stepped{}, failStep(flow.StepBroken, err)
	}
	argv := []string{w.Warp, "drive", work.Issue, "--conducted"}
	if work.Repository.Level > 0 {
		argv = append(argv, fmt.Sprintf("--level=%d", work.Repository.Level))
	}
	if work.Account.Agent != "" {
		argv = append(argv, "--agent="+work.Account.Agent)
	}
	if s := work.Spent; s != (conduct.Spent{}) {
		argv = append(argv, fmt.Sprintf("--spent=%d,%d", s.MicroUSD, s.Tokens))
	}
	env, err := w.accountEnv(work.Account.Name)
	if err != nil {
		return flow.Stepped{}, failStep(flow.StepBroken, err)
	}
	log, mark := filepath.Join(filepath.Dir(dir), logName(work)), "WARP_FLEET_WORK="+strings.ReplaceAll(dir, "\n", " ")
	if s.drive, err = startProcess(argv, dir, log, mark, env); err != nil {
		return flow.Stepped{}, failStep(flow.StepBroken, err)
	}
	s.attempt, s.serial, s.told = work.Attempt, work.Steps, time.Now()
	p.drive.Store(s.drive)
	_ = p.check(ctx) // tells the drive how long the acknowledgement is valid; the pulse tries again
	return s.follow(ctx, p)
}

// follow listens to the drive until it asks for something that only the fleet decides. It permits
// pushes and filings as long as the server acknowledges this attempt.
func (s *seat) follow(ctx context.Context, p *pulse) (flow.Stepped, error) {
	for {
		var say conduct.Say
		var ok bool
		select {
		case <-ctx.Done():
			s.leave()
			return flow.Stepped{}, context.Cause(ctx)
		case say, ok = <-s.drive.says:
		}
		if !ok {
			return flow.Stepped{}, s.drop(errors.New(s.drive.describe()))
		}
		p.tell(say)
		switch say.Kind {
		case conduct.Push, conduct.File:
			if err := s.fence(ctx, p, say); err != nil {
				return flow.Stepped{}, err
			}
		case conduct.Phase:
			s.drive.pending = &say
			return flow.Stepped{Phase: say.Phase, Agent: say.Agent, Spent: say.Spent, Windows: say.Windows}, nil
		case conduct.Question:
			s.drive.pending = &say
			return flow.Stepped{Ask: say.Ask, Spent: say.Spent}, nil
		case conduct.End:
			s.leave()
			return flow.Stepped{Outcome: say.Outcome, Spent: say.Spent}, nil
		}
	}
}

// fence permits a push or a filing once the server has acknowledged this attempt.
func (s *seat) fence(ctx context.Context, p *pulse, say conduct.Say) error {
	for {
		err := p.check(ctx)
		if err == nil {
			if err := s.drive.reply(conduct.Reply{Serial: say.Serial, Go: true}); err != nil {
				return s.drop(fmt.Errorf("the drive is not responding: %w", err))
			}
			return nil
		}
		if isGone(err) || ctx.Err() != nil {
			s.leave()
			return failStep(flow.WorkerLost, fmt.Errorf("%s %s was not permitted: %w", say.Kind, say.What, err))
		}
		select { // the pulse gives up when this takes too long
		case <-ctx.Done():
		case <-time.After(p.timeout / 16):
		}
	}
}

// drop ends a broken drive.
func (s *seat) drop(err error) error {
	s.leave()
	return failStep(flow.StepBroken, err)
}
