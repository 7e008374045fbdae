package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Caps bound what a fleet spends, in millionths of a dollar; zero: no bound.
type Caps struct {
	Night, Day int64
	Repo       map[string]int64 // of a night
}

// Unbound tells whether no cap binds a repository: agents without prices can work there.
func (c Caps) Unbound(repo string) bool { return c.Night == 0 && c.Day == 0 && c.Repo[repo] == 0 }

// Purse keeps the money of a fleet: what a step may cost is reserved before it and
// settled after it, so that caps bind wherever steps are taken.
type Purse struct {
	Caps     Caps
	night    spent
	days     map[string]int64 // by date
	repos    map[string]int64
	reserved map[string]reservation
	over     int64 // what was spent beyond what was reserved
}

type spent struct{ settled, reserved int64 }

type reservation struct {
	repo   string
	amount int64
}

// NewPurse begins a night.
func NewPurse(c Caps) *Purse {
	return &Purse{Caps: c, days: map[string]int64{}, repos: map[string]int64{}, reserved: map[string]reservation{}}
}

// Reserve takes an amount for a step; why says which cap is in the way. A step that has
// its reservation keeps it: asking again takes nothing.
func (p *Purse) Reserve(step, repo string, amount int64, now time.Time) (why string) {
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
	p.reserved[step] = reservation{repo, amount}
	p.night.reserved += amount
	return ""
}

// ReserveRest takes what is left of the caps for a step that wants more than there can be;
// 0: there is too little. Waiting helps when others may give something back.
func (p *Purse) ReserveRest(step, repo string, amount int64, now time.Time) (got int64, wait bool) {
	got, least, rest := amount, max(1, amount/leastShare), amount
	for _, c := range p.binding(repo, now) {
		least = min(least, c.cap) // a cap that is smaller than that lets one step begin
		rest = min(rest, c.cap-c.settled)
		got = min(got, c.cap-c.settled-c.reserved)
	}
	if got < least {
		return 0, rest >= least
	}
	p.Reserve(step, repo, got, now)
	return got, false
}

// leastShare is which part of what a step wants is worth beginning it.
const leastShare = 10

// binding is a cap that a repository's steps are bound by, and what is used of it.
type binding struct {
	of                     string
	cap, settled, reserved int64
}

func (p *Purse) binding(repo string, now time.Time) []binding {
	return slices.DeleteFunc([]binding{
		{"the night", p.Caps.Night, p.night.settled, p.night.reserved},
		{"the day", p.Caps.Day, p.days[now.Format(time.DateOnly)], p.night.reserved},
		{repo, p.Caps.Repo[repo], p.repos[repo], p.held(repo)},
	}, func(b binding) bool { return b.cap == 0 })
}

func (p *Purse) held(repo string) (sum int64) {
	for _, r := range p.reserved {
		if r.repo == repo {
			sum += r.amount
		}
	}
	return sum
}

// Settle gives back what a step has not used. What it used beyond its reservation, which
// agents that report late do, counts as well. A step that has no reservation is counted
// all the same: its money is gone.
func (p *Purse) Settle(step, repo string, used int64, now time.Time) {
	if r, has := p.reserved[step]; has {
		repo = r.repo
		p.night.reserved -= r.amount
		p.over += max(0, used-r.amount)
		delete(p.reserved, step)
	} else if !p.Caps.Unbound(repo) { // where nothing binds, nothing is reserved
		p.over += used
	}
	p.night.settled += used
	p.days[now.Format(time.DateOnly)] += used
	p.repos[repo] += used
}

// Spent is what the night has cost so far, what is reserved, and how much of the cost no
// reservation covered.
func (p *Purse) Spent() (settled, reserved, over int64) {
	return p.night.settled, p.night.reserved, p.over
}

// BeginNight starts counting anew; the day goes on, and what is reserved stays so.
func (p *Purse) BeginNight() {
	p.night.settled, p.over, p.repos = 0, 0, map[string]int64{}
}

// HasRoom tells whether an amount could be reserved once all reservations are given back:
// waiting helps then.
func (p *Purse) HasRoom(repo string, amount int64, now time.Time) bool {
	return !slices.ContainsFunc(p.binding(repo, now), func(c binding) bool { return c.settled+amount > c.cap })
}

// SavedPurse is a purse as a plain value.
type SavedPurse struct {
	Settled, Over int64
	Days, Repos   map[string]int64
	Reserved      []Reservation // by step
}

// Reservation is money that a step may spend.
type Reservation struct {
	Step, Repo string
	MicroUSD   int64
}

// Save is the purse as a value.
func (p *Purse) Save() SavedPurse {
	s := SavedPurse{Settled: p.night.settled, Over: p.over, Days: p.days, Repos: p.repos}
	for step, r := range p.reserved {
		s.Reserved = append(s.Reserved, Reservation{step, r.repo, r.amount})
	}
	slices.SortFunc(s.Reserved, func(a, b Reservation) int { return cmp.Compare(a.Step, b.Step) })
	return s
}

// RestorePurse makes a purse from what was saved.
func RestorePurse(c Caps, s SavedPurse) *Purse {
	p := NewPurse(c)
	p.night.settled, p.over = s.Settled, s.Over
	for day, used := range s.Days {
		p.days[day] = used
	}
	for repo, used := range s.Repos {
		p.repos[repo] = used
	}
	for _, r := range s.Reserved {
		p.reserved[r.Step] = reservation{r.Repo, r.MicroUSD}
		p.night.reserved += r.MicroUSD
	}
	return p
}
