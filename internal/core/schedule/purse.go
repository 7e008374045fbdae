package schedule

import (
	"fmt"
	"time"
)

// Caps bound what a fleet spends, in millionths of a dollar; zero: no bound.
type Caps struct {
	Night, Day int64
	Repo       map[string]int64 // of a night
}

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
	day := now.Format(time.DateOnly)
	for _, c := range []struct {
		of        string
		cap, used int64
	}{
		{"the night", p.Caps.Night, p.night.settled + p.night.reserved},
		{"the day", p.Caps.Day, p.days[day] + p.night.reserved},
		{repo, p.Caps.Repo[repo], p.repos[repo] + p.held(repo)},
	} {
		if c.cap > 0 && c.used+amount > c.cap {
			return fmt.Sprintf("the cap of %s is reached ($%.2f)", c.of, float64(c.cap)/1e6)
		}
	}
	p.reserved[step] = reservation{repo, amount}
	p.night.reserved += amount
	return ""
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
	} else {
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
