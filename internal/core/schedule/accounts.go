package schedule

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

// Account is a subscription or a key that agents use.
type Account struct {
	Name  string
	Most  int     // agents at once; 0: no limit
	Share float64 // share of its windows that the fleet may use; 0: all
}

// account is the state of an Account.
type account struct {
	Account
	running int
	rest    SavedRest
}

// How long an account rests after a limit of unknown length: the first time, and at most.
const (
	firstRest = time.Minute
	longRest  = time.Hour
)

// Shares are integers in millionths and times in seconds: processors round fractions differently,
// and a replay on another machine must make the same decisions.
const (
	whole = 1_000_000
	// ahead is how much of a window may be used ahead of time: work comes in lumps.
	ahead = whole / 4
)

func round(millionths float64) int64 { return int64(math.Round(millionths)) }

// Limit records that an account hit a limit; a zero time means unknown length. Other accounts
// continue.
func (q *Queue) Limit(name string, until, now time.Time) {
	a := q.accounts[name]
	if a == nil {
		return
	}
	if until.IsZero() {
		until = now.Add(min(longRest, firstRest<<min(a.rest.Fails, 10)))
		a.rest.Fails++
	}
	if until.After(a.rest.Limited) {
		a.rest.Limited = until
	}
}

// Works records that an account works, which makes its next rest short again.
func (q *Queue) Works(name string) {
	if a := q.accounts[name]; a != nil {
		a.rest.Fails = 0
	}
}

// Use records how much of an account's window is used, by anyone.
func (q *Queue) Use(name, of string, percent float64, reset time.Time, length time.Duration) {
	a := q.accounts[name]
	if a == nil {
		return
	}
	i, known := slices.BinarySearchFunc(a.rest.Windows, of, func(w SavedWindow, of string) int { return cmp.Compare(w.Name, of) })
	if !known {
		a.rest.Windows = slices.Insert(a.rest.Windows, i, SavedWindow{})
	}
	a.rest.Windows[i] = SavedWindow{of, percent, reset, length}
}

// rests returns until when an account is not used, and why; "" if it may be used.
func (a *account) rests(now time.Time) (until time.Time, why string) {
	if now.Before(a.rest.Limited) {
		return a.rest.Limited, "it reached a limit"
	}
	for _, w := range a.rest.Windows { // by name: a replay must make the same decision
		if w.Reset.IsZero() || !now.Before(w.Reset) {
			continue // it is over
		}
		share := int64(whole)
		if a.Share > 0 && a.Share <= 1 {
			share = max(1, round(a.Share*whole))
		}
		used := round(w.Percent * (whole / 100))
		if used >= share {
			return w.Reset, fmt.Sprintf("%.0f%% of its window %s are used", w.Percent, w.Name)
		}
		length := int64(w.Length / time.Second)
		if length <= 0 {
			continue
		}
		// The window is used at the pace of its time, so that the night does not stall at its end.
		passed := whole - int64(w.Reset.Sub(now)/time.Second)*whole/length
		if over := used*whole/share - ahead - passed; over > 0 {
			return now.Add(time.Duration(over*length/whole+1) * time.Second), fmt.Sprintf("%.0f%% of its window %s are used, ahead of time", w.Percent, w.Name)
		}
	}
	return time.Time{}, ""
}

// chooseAccount returns the worker's account with the most room. The hold says why none can be
// used.
func (q *Queue) chooseAccount(names []string, now time.Time) (best *account, hold Hold) {
	hold.Why = "the worker has none of the fleet's accounts"
	for _, name := range names {
		a := q.accounts[name]
		switch {
		case a == nil:
			continue
		case a.Most > 0 && a.running >= a.Most:
			if hold.Until.IsZero() {
				hold.Why = "every account is at its limit of agents"
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

// load returns how much of an account is in use.
func (a *account) load() float64 {
	if a.Most > 0 {
		return float64(a.running) / float64(a.Most)
	}
	return float64(a.running) / 1000 // without a limit there is room
}
