package schedule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Caps limit what a fleet spends, in millionths of a dollar; zero: no limit.
type Caps struct {
	Night, Day int64
	Repo       map[string]int64 // per night
}

// Unbound reports whether no cap applies to a repository: agents without prices can work there.
func (c Caps) Unbound(repo string) bool { return c.Night == 0 && c.Day == 0 && c.Repo[repo] == 0 }

// Budget tracks the money of a fleet: a step's maximum cost is reserved before it and settled after
// it, so that caps hold wherever steps run.
type Budget struct {
	Caps     Caps
	night    spent
	days     map[string]int64 // by date
	repos    map[string]int64
	reserved map[string]Reservation // by step
	over     int64                  // spent beyond reservations
}

type spent struct{ settled, reserved int64 }

// NewBudget begins a night.
func NewBudget(c Caps) *Budget {
	return &Budget{Caps: c, days: map[string]int64{}, repos: map[string]int64{}, reserved: map[string]Reservation{}}
}

// Reserve reserves an amount for a step; why names the cap that prevents it. Repeating a
// reservation has no effect.
func (p *Budget) Reserve(step, repo string, amount int64, now time.Time) (why string) {
	if _, has := p.reserved[step]; has {
		return ""
	}
	for _, c := range p.binding(repo, now) {
		left := c.cap - c.settled - c.reserved
		switch {
		case left <= 0:
			return fmt.Sprintf("the cap of %s is reached ($%.2f)", c.of, float64(c.cap)/1e6)
		case left < amount:
			return fmt.Sprintf("the cap of %s leaves too little: $%.2f of $%.2f", c.of, float64(left)/1e6, float64(c.cap)/1e6)
		}
	}
	p.reserved[step] = Reservation{step, repo, amount}
	p.night.reserved += amount
	return ""
}

// ReserveRest reserves what is left of the caps for a step that wants more than there can be; 0 if
// too little is left. Wait reports whether others may still return enough.
func (p *Budget) ReserveRest(step, repo string, amount int64, now time.Time) (got int64, wait bool) {
	got, least, rest := amount, max(1, amount/leastShare), amount
	for _, c := range p.binding(repo, now) {
		least = min(least, c.cap) // a cap smaller than that lets one step begin
		rest = min(rest, c.cap-c.settled)
		got = min(got, c.cap-c.settled-c.reserved)
	}
	if got < least {
		return 0, rest >= least
	}
	p.Reserve(step, repo, got, now)
	return got, false
}

// leastShare: a tenth of what a step wants is enough to begin it.
const leastShare = 10

// binding is a cap on a repository's steps, with its usage.
type binding struct {
	of                     string
	cap, settled, reserved int64
}

func (p *Budget) binding(repo string, now time.Time) []binding {
	return slices.DeleteFunc([]binding{
		{"the night", p.Caps.Night, p.night.settled, p.night.reserved},
		{"the day", p.Caps.Day, p.days[now.Format(time.DateOnly)], p.night.reserved},
		{repo, p.Caps.Repo[repo], p.repos[repo], p.held(repo)},
	}, func(b binding) bool { return b.cap == 0 })
}

func (p *Budget) held(repo string) (sum int64) {
	for _, r := range p.reserved {
		if r.Repo == repo {
			sum += r.MicroUSD
		}
	}
	return sum
}

// Settle returns what a step did not use. Usage beyond its reservation, from agents that report
// late, counts as well. So does a step without a reservation: its money is gone.
func (p *Budget) Settle(step, repo string, used int64, now time.Time) {
	if r, has := p.reserved[step]; has {
		repo = r.Repo
		p.night.reserved -= r.MicroUSD
		p.over += max(0, used-r.MicroUSD)
		delete(p.reserved, step)
	} else if !p.Caps.Unbound(repo) { // nothing is reserved if no cap applies
		p.over += used
	}
	p.night.settled += used
	p.days[now.Format(time.DateOnly)] += used
	p.repos[repo] += used
}

// Spent returns what the night has cost so far, what is reserved, and how much of the cost no
// reservation covered.
func (p *Budget) Spent() (settled, reserved, over int64) {
	return p.night.settled, p.night.reserved, p.over
}

// BeginNight resets the night's counts; the day continues, and reservations stay.
func (p *Budget) BeginNight() {
	p.night.settled, p.over, p.repos = 0, 0, map[string]int64{}
}

// HasRoom reports whether an amount could be reserved once all reservations are returned: then it
// is worth waiting.
func (p *Budget) HasRoom(repo string, amount int64, now time.Time) bool {
	return !slices.ContainsFunc(p.binding(repo, now), func(c binding) bool { return c.settled+amount > c.cap })
}

// SavedBudget is a budget as a plain value.
type SavedBudget struct {
	Settled, Over int64
	Days, Repos   map[string]int64
	Reserved      []Reservation // by step
}

// Reservation is money that a step may spend.
type Reservation struct {
	Step, Repo string
	MicroUSD   int64
}

func (p *Budget) Save() SavedBudget {
	return SavedBudget{Settled: p.night.settled, Over: p.over, Days: p.days, Repos: p.repos,
		Reserved: slices.SortedFunc(maps.Values(p.reserved), func(a, b Reservation) int { return cmp.Compare(a.Step, b.Step) })}
}

// RestoreBudget makes a budget from a saved one.
func RestoreBudget(c Caps, s SavedBudget) *Budget {
	p := NewBudget(c)
	p.night.settled, p.over = s.Settled, s.Over
	maps.Copy(p.days, s.Days)
	maps.Copy(p.repos, s.Repos)
	for _, r := range s.Reserved {
		p.reserved[r.Step] = r
		p.night.reserved += r.MicroUSD
	}
	return p
}
