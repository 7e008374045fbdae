package schedule

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// Account is a subscription or a key that agents work with.
type Account struct {
	Name  string
	Most  int     // agents at once; 0: no bound
	Share float64 // of its windows that the fleet may use; 0: all
}

// account is what is known of one.
type account struct {
	Account
	running int
	limited time.Time // it met a limit that lasts until then
	fails   int       // limits in a row of unknown length
	windows map[string]window
}

type window struct {
	percent float64
	reset   time.Time
	length  time.Duration
}

// How long an account rests that met a limit of unknown length: the first time, and at
// most.
const (
	firstRest = time.Minute
	longRest  = time.Hour
)

// Shares are counted in millionths and times in seconds, as integers: processors round
// fractions differently, and a replay on another machine must decide the same.
const (
	whole = 1_000_000
	// ahead is how much of a window may be used before its time: work comes in lumps.
	ahead = whole / 4
)

func round(millionths float64) int64 { return int64(math.Round(millionths)) }

// Limit notes that an account met a limit; a zero time: its length is unknown.
// Others go on.
func (q *Queue) Limit(name string, until, now time.Time) {
	a := q.accounts[name]
	if a == nil {
		return
	}
	if until.IsZero() {
		until = now.Add(min(longRest, firstRest<<min(a.fails, 10)))
		a.fails++
	}
	if until.After(a.limited) {
		a.limited = until
	}
}

// Works notes that an account works: its next rest is short again.
func (q *Queue) Works(name string) {
	if a := q.accounts[name]; a != nil {
		a.fails = 0
	}
}

// Use notes how much of a window of an account is used, by whomever.
func (q *Queue) Use(name, of string, percent float64, reset time.Time, length time.Duration) {
	a := q.accounts[name]
	if a == nil {
		return
	}
	if a.windows == nil {
		a.windows = map[string]window{}
	}
	a.windows[of] = window{percent, reset, length}
}

// rests is until when an account is not used, and why; "": it may be used.
func (a *account) rests(now time.Time) (until time.Time, why string) {
	if now.Before(a.limited) {
		return a.limited, "it met a limit"
	}
	for _, name := range slices.Sorted(maps.Keys(a.windows)) { // a replay must decide the same
		w := a.windows[name]
		if w.reset.IsZero() || !now.Before(w.reset) {
			continue // it is over
		}
		share := int64(whole)
		if a.Share > 0 && a.Share <= 1 {
			share = max(1, round(a.Share*whole))
		}
		used := round(w.percent * (whole / 100))
		if used >= share {
			return w.reset, fmt.Sprintf("%.0f%% of its window %s are used", w.percent, name)
		}
		length := int64(w.length / time.Second)
		if length <= 0 {
			continue
		}
		// The window is used at the pace at which its time goes by, so that the night
		// does not stand still at its end.
		passed := whole - int64(w.reset.Sub(now)/time.Second)*whole/length
		if over := used*whole/share - ahead - passed; over > 0 {
			return now.Add(time.Duration(over*length/whole+1) * time.Second), fmt.Sprintf("%.0f%% of its window %s are used, ahead of time", w.percent, name)
		}
	}
	return time.Time{}, ""
}

// chooseAccount is the account with the most room, of those that a worker has. The hold
// says why none can be used.
func (q *Queue) chooseAccount(names []string, now time.Time) (best *account, hold Hold) {
	hold.Why = "the worker has no account of the fleet"
	for _, name := range names {
		a := q.accounts[name]
		switch {
		case a == nil:
			continue
		case a.Most > 0 && a.running >= a.Most:
			if hold.Until.IsZero() {
				hold.Why = "every account has as many agents as it may"
			}
			continue
		}
		if until, why := a.rests(now); why != "" {
			if hold.Until.IsZero() || until.Before(hold.Until) {
				hold = Hold{a.Name + ": " + why, until}
			}
			continue
		}
		if best == nil || a.load() < best.load() {
			best = a
		}
	}
	return best, hold
}

// load is how much of an account is in use.
func (a *account) load() float64 {
	if a.Most > 0 {
		return float64(a.running) / float64(a.Most)
	}
	return float64(a.running) / 1000 // without a bound there is room
}
