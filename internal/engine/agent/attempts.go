package agent

import (
	"slices"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/sys/proc"
)

const (
	// tries is how often one agent gets the same task, limits not counted.
	tries = 8
	// afterWaking is how often a run that failed because the machine slept is repeated.
	afterWaking = 2
)

// attempts counts one agent's attempts at a task.
type attempts struct {
	*Runner
	others bool                     // there are agents to fall back on
	failed map[errorclass.Class]int // each class has its own retries
	count  int                      // without limits and runs broken by sleep
	nap    *proc.SleepMeter
	woken  int
}

// next returns whether and when a run is worth another try.
func (a *attempts) next(res *Result, slept bool) (at time.Time, why string, again bool) {
	if slept && a.woken < afterWaking && res.lostAsleep() {
		a.woken++
		at, _ = errorclass.NextRetry(res.Class, a.woken, a.Now(), "")
		return at, res.Agent + ": the machine slept during the run", true
	}
	a.failed[res.Class]++
	if !res.Limited() { // an API that is overloaded for hours answers eventually
		a.count++
	}
	at, why, again = a.nextRetry(*res, a.failed[res.Class], a.others)
	return at, why, again && a.count < tries
}

// broken are the ends of a run that lost its connection, its API or its process.
var broken = []End{APIError, Crashed, Idle, Unusable}

// lostAsleep turns a run that broke during sleep into a network failure, so that it costs its chunk
// nothing. It reports whether it was one.
func (r *Result) lostAsleep() bool {
	if !slices.Contains(broken, r.End) || r.Limited() {
		return false
	}
	r.End, r.Class = APIError, errorclass.Network
	r.Why = "the machine slept during the run: " + r.Why
	return true
}
