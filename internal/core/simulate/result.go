package simulate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Spread is the quantiles of some durations.
type Spread struct{ Median, Most90, Most99, Longest time.Duration }

type durations []time.Duration

func (l durations) spread() Spread {
	if len(l) == 0 {
		return Spread{}
	}
	slices.Sort(l)
	at := func(share float64) time.Duration { return l[min(len(l)-1, int(share*float64(len(l))))] }
	return Spread{at(0.5), at(0.9), at(0.99), l[len(l)-1]}
}

// finish computes the result.
func (s *simulation) finish() Result {
	r := s.result
	r.Took = s.now.Sub(s.Begin)
	r.Unfinished = s.Requirements - r.Merged - r.Parked
	r.TimeToMerge, r.TrainWait = s.merge.spread(), s.wait.spread()
	settled, _, _ := s.budget.Spent()
	r.Dollars = float64(settled) / 1e6
	if r.Took > 0 && len(s.slots) > 0 {
		r.Slots = s.busy.Seconds() / (r.Took.Seconds() * float64(len(s.slots)))
		for _, t := range s.order {
			if share := t.busy.Seconds() / r.Took.Seconds(); share > r.Trains {
				r.Trains, r.Train = share, t.repo
			}
		}
	}
	last := "" // what held up the fleet at the end
	for _, w := range s.idle {
		last = w.why
		s.stand(w, "")
	}
	for _, why := range slices.Sorted(maps.Keys(s.held)) {
		r.Holds = append(r.Holds, Held{why, s.held[why]})
	}
	slices.SortStableFunc(r.Holds, func(a, b Held) int { return cmp.Compare(b.Time, a.Time) })
	r.Drawn = fmt.Sprintf("%s, %s on average", s.Agent, s.Agent.Mean().Round(time.Second))
	if ids := s.queue.Circles(); len(ids) > 0 {
		last = "they wait for each other, such as " + ids[0]
	}
	r.Bottleneck = bottleneck(r, last)
	return r
}

// busyShare is the share from which something counts as used up.
const busyShare = 0.9

// bottleneck names what to add to finish earlier.
func bottleneck(r Result, last string) string {
	switch {
	case r.Unfinished > 0:
		return fmt.Sprintf("%d requirements were not finished: %s", r.Unfinished, last)
	case r.Trains >= busyShare:
		return fmt.Sprintf("the merge train of %s is busy %.0f%% of the time: faster tests in it, or fewer requirements for it", r.Train, 100*r.Trains)
	case r.Slots >= busyShare:
		return fmt.Sprintf("the slots are busy %.0f%% of the time: more workers", 100*r.Slots)
	}
	for _, h := range r.Holds {
		if h.Why != "no work is ready" { // the end of every night
			return "slots stood still: " + h.Why
		}
	}
	return "nothing: there is not enough work for these workers"
}
