package step

import (
	"cmp"
	"time"

	"warp/internal/core/budget"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// Limits of a run's duration, and of how long it may continue after its result.
const (
	runTime  = 2 * time.Hour
	runAfter = 30 * time.Second
)

// applyBounds applies the work's limits to the run. After a timeout, outOfTime reports whether the
// work's time was up, rather than the run's own.
func (t *Taker) applyBounds(s *Step, share budget.Amount) (outOfTime func() bool) {
	s.Budget = agent.Budget{MicroUSD: share.MicroUSD, Tokens: share.Tokens}
	limit := cmp.Or(max(0, s.Timeout), runTime)
	awake := proc.AwakeClock(t.Now, t.Asleep)
	ends := awake().Add(limit) // regardless of how much of the work's time is left then
	if more := s.More; more != nil {
		s.More = func() budget.Amount {
			m := more()
			m.Time = min(m.Time, ends.Sub(awake()))
			return m
		}
	}
	timed := share.Time > 0 && share.Time <= limit
	if timed {
		limit = share.Time
	}
	s.Timeout = max(time.Second, limit)
	if end := t.Now().Add(share.Time); share.Time > 0 && (s.Until.IsZero() || end.Before(s.Until)) {
		s.Until = end
	}
	s.Idle = cmp.Or(s.Idle, t.Bounds.outermost().Idle)
	s.Linger = cmp.Or(s.Linger, runAfter)
	return func() bool { return timed && awake().Before(ends) }
}
