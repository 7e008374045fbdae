// Package budget limits work by money, tokens and time. An Amount is either what was spent or what
// may be spent; in a limit, zero means none. It does no I/O: what was spent, and the time, come in
// as values.
package budget

import (
	"cmp"
	"fmt"
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
