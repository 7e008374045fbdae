package session

import (
	"context"
	"fmt"
	"io"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/session"
)

// Body is what is done in an iteration.
type Body interface {
	Iterate(ctx context.Context, it Iteration) (Outcome, error)
}

// Iteration is one turn of a loop.
type Iteration struct {
	Number int
	Again  bool // it had begun before, and was not recorded
	Most   session.Spent
}

// Outcome is what came of an iteration.
type Outcome struct {
	Row       session.Row
	Spent     session.Spent
	Files     []string // that changed
	Learnings []string
	// Stop ends the loop whatever its strategy says; nil: the strategy decides.
	Stop *session.Decision
	// Pause says why a person is to look before the next iteration.
	Pause string
}

// loop runs the iterations of a unit until its strategy, or a bound, says that it
// is done.
func (r *run) loop(ctx context.Context, i int) (session.Decision, error) {
	u := r.units[i]
	until, bounds, err := r.rules(i)
	if err != nil {
		return session.Decision{}, err
	}
	body, err := r.body(i, until)
	if err != nil {
		return session.Decision{}, err
	}
	if c, ok := body.(io.Closer); ok {
		defer func() { _ = c.Close() }() // what it holds ends with the process
	}
	for {
		d, err := r.decide(ctx, i, until, bounds)
		if err != nil || d.Stop {
			return d, err
		}
		number, again := r.now().Resumable(i)
		if number > 1 && !again {
			if err := wait(ctx, u.stage.Delay); err != nil {
				return d, err
			}
		}
		if err := r.update("iteration_started", func(s *session.State) error {
			if s.Paused != nil {
				return ErrPaused
			}
			number, err = s.StartIteration(i, r.Now())
			return err
		}); err != nil {
			return d, err
		}
		r.passed("iteration_started")
		r.tell(Note{Kind: Iterating, Stage: r.shown(i), Iteration: number})
		out, err := body.Iterate(ctx, Iteration{Number: number, Again: again, Most: r.left(i, bounds)})
		if err != nil {
			return d, err
		}
		if err := r.record(i, number, out); err != nil {
			return d, err
		}
		if out.Stop != nil && out.Stop.Stop {
			return *out.Stop, nil
		}
		if out.Pause != "" {
			return d, r.pause(out.Pause)
		}
	}
}

// rules are the strategy of a unit and its bounds. What was under way may be given
// further iterations, whatever its bound was.
func (r *run) rules(i int) (session.Until, session.Bounds, error) {
	u := r.units[i]
	if u.gathers != nil {
		return session.Until{Kind: session.Fixed, N: 1}, session.Bounds{MaxIterations: 1}, nil
	}
	until, err := session.ParseUntil(u.stage.Until)
	if err != nil {
		return until, session.Bounds{}, fmt.Errorf("stage %s: until: %w", u.name, err)
	}
	if u.stage.MinIterations > 0 {
		until.Min = u.stage.MinIterations
	}
	runs := u.stage.Runs
	if s := r.now(); s != nil && r.More > 0 {
		if st, err := s.Stage(i); err == nil && st.IterationCompleted > 0 {
			runs = st.IterationCompleted + r.More
		}
	}
	if until.Kind == session.Fixed {
		until.N = runs
	}
	return until, session.Bounds{MaxIterations: runs, MaxMicroUSD: u.stage.MaxCost, MaxTime: u.stage.MaxTime, NoProgress: u.stage.NoProgress}, nil
}

func (r *run) body(i int, until session.Until) (Body, error) {
	u := r.units[i]
	switch {
	case u.gathers != nil:
		return &gathering{r, i}, nil
	case until.Kind == session.Gates && r.Engine.Gates != nil:
		return r.Engine.Gates(GatesStage{Session: r.Name, Name: r.shown(i), Task: r.Task, Agent: u.stage.Agent, Model: u.stage.Model,
			Progress: within(r.Root, r.path(r.progressFile(i))), Most: u.stage.Runs + r.More})
	}
	b := &iterating{run: r, unit: i, dir: r.Root, until: until}
	if until.Kind == session.Queue {
		q, err := r.Engine.Queue(until)
		if err != nil {
			return nil, err
		}
		b.queue = q
	}
	if u.member != nil {
		b.member = true
	}
	return b, nil
}

// decide asks whether a unit goes on. The session's own bounds hold for all of
// its stages together.
func (r *run) decide(ctx context.Context, i int, until session.Until, b session.Bounds) (session.Decision, error) {
	s := r.now()
	f := s.Facts(i, r.Now())
	var ready []Item
	held := 0
	if until.Kind == session.Queue {
		q, err := r.Engine.Queue(until)
		if err != nil {
			return session.Decision{}, err
		}
		if ready, held, err = q.Ready(ctx); err != nil {
			return session.Decision{}, err
		}
		f.Queue = new(len(ready))
	}
	d := session.Decide(until, b, f)
	switch {
	case f.Queue == nil:
	case len(ready) == 0 && d.Stop:
		d.Why = left(0, held)
	case !d.Stop && len(r.fresh(ready)) == 0: // what is left is not for this session to do
		d = session.Decision{Stop: true, Reason: session.ReasonFailed, Why: left(len(ready), held)}
	}
	if spent := s.Spent(); !d.Stop && r.Plan.MaxCost > 0 && spent.MicroUSD >= r.Plan.MaxCost {
		d = session.Decision{Stop: true, Reason: session.ReasonBudget, Why: "the session's money is spent"}
	}
	if !d.Stop && r.Plan.MaxTime > 0 && r.elapsed(s) >= r.Plan.MaxTime {
		d = session.Decision{Stop: true, Reason: session.ReasonBudget, Why: "the session's time is up"}
	}
	return d, nil
}

// elapsed is the time that all iterations took.
func (r *run) elapsed(s *session.State) (d time.Duration) {
	for i := range s.Len() {
		d += s.Facts(i, r.Now()).Elapsed
	}
	return d
}

// left says what an empty queue leaves undone.
func left(given, held int) string {
	why := "nothing is ready"
	if given > 0 {
		why = fmt.Sprintf("%s tried %d times and not done", evidence.Count(given, "item"), mostTries)
	}
	if held > 0 {
		why += fmt.Sprintf("; waiting for something else: %d", held)
	}
	return why
}

// left is what an iteration may cost at most; zero: no bound.
func (r *run) left(i int, b session.Bounds) (most session.Spent) {
	s := r.now()
	st, _ := s.Stage(i)
	least := func(bound, spent int64, was int64) int64 {
		if bound == 0 {
			return was
		}
		rest := max(1, bound-spent)
		if was == 0 {
			return rest
		}
		return min(was, rest)
	}
	most.MicroUSD = least(b.MaxMicroUSD, st.Counts.MicroUSD, 0)
	most.MicroUSD = least(r.Plan.MaxCost, s.Spent().MicroUSD, most.MicroUSD)
	most.Tokens = least(b.MaxTokens, st.Counts.Tokens, 0)
	return most
}

func (r *run) pause(why string) error {
	if err := r.update("paused", func(s *session.State) error { return s.Pause(r.Now()) }); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", ErrPaused, why)
}

// shown is the name of a unit for people; a loop has none.
func (r *run) shown(i int) string {
	if r.Loop {
		return ""
	}
	return r.units[i].name
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
