// Package budget limits work by money, tokens and time. An Amount is either what was spent or what
// may be spent; in a limit, zero means none. It does no I/O: what was spent, and the time, come in
// as values.
package budget

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Amount is what a piece of work has used, or may use.
type Amount struct {
	MicroUSD int64         `json:"micro_usd,omitempty"`
	Tokens   int64         `json:"tokens,omitempty"`
	Time     time.Duration `json:"time,omitempty"`
}

func (a Amount) Add(b Amount) Amount {
	return Amount{a.MicroUSD + b.MicroUSD, a.Tokens + b.Tokens, a.Time + b.Time}
}

// Raise adds to a limit. Unlimited members stay unlimited.
func (a Amount) Raise(more Amount) Amount {
	if a.MicroUSD > 0 {
		a.MicroUSD += more.MicroUSD
	}
	if a.Tokens > 0 {
		a.Tokens += more.Tokens
	}
	if a.Time > 0 {
		a.Time += more.Time
	}
	return a
}

// Left returns what remains of a limit; false if one of its members is used up. Unlimited members
// stay unlimited.
func (a Amount) Left(spent Amount) (Amount, bool) {
	ok := true
	if a.MicroUSD > 0 {
		a.MicroUSD -= spent.MicroUSD
		ok = ok && a.MicroUSD > 0
	}
	if a.Tokens > 0 {
		a.Tokens -= spent.Tokens
		ok = ok && a.Tokens > 0
	}
	if a.Time > 0 {
		a.Time -= spent.Time
		ok = ok && a.Time > 0
	}
	return a, ok
}

// Least returns the narrower of two limits, member by member.
func (a Amount) Least(b Amount) Amount {
	return Amount{least(a.MicroUSD, b.MicroUSD), least(a.Tokens, b.Tokens), time.Duration(least(int64(a.Time), int64(b.Time)))}
}

func least(a, b int64) int64 {
	if a <= 0 || b > 0 && b < a {
		return b
	}
	return a
}

// Or fills in missing members of a limit from another.
func (a Amount) Or(b Amount) Amount {
	return Amount{cmp.Or(a.MicroUSD, b.MicroUSD), cmp.Or(a.Tokens, b.Tokens), cmp.Or(a.Time, b.Time)}
}

// Reached describes which member of a limit is reached; "" if none is.
func (a Amount) Reached(spent Amount) string {
	switch {
	case a.MicroUSD > 0 && spent.MicroUSD >= a.MicroUSD:
		return fmt.Sprintf("it has cost %s of %s", Dollars(spent.MicroUSD), Dollars(a.MicroUSD))
	case a.Tokens > 0 && spent.Tokens >= a.Tokens:
		return fmt.Sprintf("it has used %d of %d tokens", spent.Tokens, a.Tokens)
	case a.Time > 0 && spent.Time >= a.Time:
		return fmt.Sprintf("it took %s of %s", spent.Time.Round(time.Second), a.Time)
	}
	return ""
}

// Dollars formats an amount of money with two digits.
func Dollars(micro int64) string {
	if micro < 0 {
		return "-" + Dollars(-micro)
	}
	cents := (micro + 5_000) / 10_000
	return fmt.Sprintf("$%d.%02d", cents/100, cents%100)
}

// Caps are the limits of a command line. They apply to that command alone, so advice to continue,
// and code that continues, repeats them.
type Caps struct {
	MicroUSD int64         `json:"micro_usd,omitempty"`
	Tokens   int64         `json:"tokens,omitempty"`
	Time     time.Duration `json:"time,omitempty"`
	Until    string        `json:"until,omitempty"` // the time of day at which it ends
}

// Or fills in limits that were not given from those of another command line.
func (c Caps) Or(b Caps) Caps {
	return Caps{cmp.Or(c.MicroUSD, b.MicroUSD), cmp.Or(c.Tokens, b.Tokens), cmp.Or(c.Time, b.Time), cmp.Or(c.Until, b.Until)}
}

// Flags returns the flags that give these limits, each followed by its value.
func (c Caps) Flags() (flags []string) {
	if c.MicroUSD > 0 {
		flags = append(flags, "--max-cost", strconv.FormatFloat(float64(c.MicroUSD)/1e6, 'f', -1, 64))
	}
	if c.Tokens > 0 {
		flags = append(flags, "--max-tokens", strconv.FormatInt(c.Tokens, 10))
	}
	if c.Time > 0 {
		flags = append(flags, "--max-time", writeTime(c.Time))
	}
	if at, err := time.Parse("15:04", c.Until); err == nil {
		flags = append(flags, "--until", at.Format("15:04"))
	}
	return flags
}

// writeTime writes a duration as a person would: 2h, not 2h0m0s.
func writeTime(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Pool divides what may still be spent among concurrent runs, so that together they cannot exceed
// it. Its owner must hold a lock.
type Pool struct {
	sharers int // that may run at once
	running int
	given   Amount
}

// Share sets how many runs may share it from now on.
func (p *Pool) Share(sharers int) { p.sharers = sharers }

// Take returns what one more run may spend of what is left. A limited member is never zero, which
// would mean no limit.
func (p *Pool) Take(left Amount) Amount {
	n := int64(max(1, p.sharers-p.running))
	part := Amount{Time: left.Time}
	if left.MicroUSD > 0 {
		part.MicroUSD = max(1, (left.MicroUSD-p.given.MicroUSD)/n)
	}
	if left.Tokens > 0 {
		part.Tokens = max(1, (left.Tokens-p.given.Tokens)/n)
	}
	p.running++
	p.given.MicroUSD += part.MicroUSD
	p.given.Tokens += part.Tokens
	return part
}

// More returns what a running run may additionally spend after the limit was raised: its share,
// unless other runs were given it. Its time is all that is left.
func (p *Pool) More(left, raised Amount) Amount {
	n := int64(max(1, p.sharers, p.running))
	more := Amount{
		MicroUSD: max(0, min(raised.MicroUSD/n, left.MicroUSD-p.given.MicroUSD)),
		Tokens:   max(0, min(raised.Tokens/n, left.Tokens-p.given.Tokens)),
		Time:     max(0, left.Time),
	}
	p.given.MicroUSD += more.MicroUSD
	p.given.Tokens += more.Tokens
	return more
}

// Return gives back the part of a run that ended.
func (p *Pool) Return(part Amount) {
	p.running--
	p.given.MicroUSD -= part.MicroUSD
	p.given.Tokens -= part.Tokens
}
