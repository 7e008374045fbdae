package usage

import (
	"fmt"
	"math"
	"time"

	"warp/internal/core/config"
)

// Amount is tokens and money.
type Amount struct {
	Tokens   int64
	MicroUSD int64
	Unpriced bool // it has cost more, and how much nobody knows
}

// Plus adds another.
func (a Amount) Plus(b Amount) Amount {
	return Amount{a.Tokens + b.Tokens, a.MicroUSD + b.MicroUSD, a.Unpriced || b.Unpriced}
}

// Window is how much of a subscription's window is used.
type Window struct {
	Name    string // five_hour, seven_day
	Percent float64
	Reset   time.Time // zero: not known
}

// Spent is what was spent by now.
type Spent struct {
	Chunk, Session, Day Amount
	Windows             []Window
}

// Limits bound it; 0: no bound.
type Limits struct {
	ChunkMicroUSD, SessionMicroUSD, DayMicroUSD int64
	ChunkTokens, SessionTokens, DayTokens       int64
	WindowPercent                               int
}

// LimitsOf are those of a project's settings.
func LimitsOf(w config.Workflow) Limits {
	return Limits{
		ChunkMicroUSD: w.ChunkMicroUSD, SessionMicroUSD: w.SessionMicroUSD, DayMicroUSD: w.DayMicroUSD,
		ChunkTokens: w.ChunkTokens, SessionTokens: w.SessionTokens, DayTokens: w.DayTokens, WindowPercent: w.WindowPercent,
	}
}

// bound is one limit and what it is held against.
type bound struct {
	setting     string
	spent, most int64
	money       bool
	unpriced    bool
}

func bounds(s Spent, l Limits) []bound {
	return []bound{
		{"max_chunk_cost", s.Chunk.MicroUSD, l.ChunkMicroUSD, true, s.Chunk.Unpriced},
		{"max_session_cost", s.Session.MicroUSD, l.SessionMicroUSD, true, s.Session.Unpriced},
		{"max_day_cost", s.Day.MicroUSD, l.DayMicroUSD, true, s.Day.Unpriced},
		{"max_chunk_tokens", s.Chunk.Tokens, l.ChunkTokens, false, false},
		{"max_session_tokens", s.Session.Tokens, l.SessionTokens, false, false},
		{"max_day_tokens", s.Day.Tokens, l.DayTokens, false, false},
	}
}

// Check holds what was spent against the limits: warnings from 75 percent on, and
// why nothing more may be spent, "" when it may. A warning reads the same however
// much more was spent since, so that whoever told it once knows it again.
func Check(s Spent, l Limits) (warn []string, stop string) {
	for _, b := range bounds(s, l) {
		switch {
		case b.most <= 0:
			continue
		case b.spent >= b.most:
			if stop == "" {
				stop = fmt.Sprintf("%s is spent: %s of %s", b.setting, b.amount(b.spent), b.amount(b.most))
			}
		case b.spent >= b.most-b.most/4:
			warn = append(warn, fmt.Sprintf("75%% of %s (%s) is spent", b.setting, b.amount(b.most)))
		}
		if b.money && b.unpriced {
			warn = append(warn, fmt.Sprintf("%s (%s) holds only for what has a known price; add prices to ~/.claude/prices.json, or set a limit in tokens", b.setting, b.amount(b.most)))
		}
	}
	for _, w := range s.Windows {
		most := float64(l.WindowPercent)
		switch {
		case most <= 0:
		case w.Percent >= most:
			if stop == "" {
				stop = fmt.Sprintf("stop_at_window_percent is reached: %d%% of the subscription's window %s is used, %d%% is the limit%s", int(w.Percent), w.Name, l.WindowPercent, w.until())
			}
		case w.Percent >= most*3/4:
			warn = append(warn, fmt.Sprintf("75%% of stop_at_window_percent (%d%%) of the window %s is used", l.WindowPercent, w.Name))
		}
	}
	return warn, stop
}

func (b bound) amount(n int64) string {
	if b.money {
		return fmt.Sprintf("$%.2f", float64(n)/1e6)
	}
	return fmt.Sprintf("%d tokens", n)
}

func (w Window) until() string {
	if w.Reset.IsZero() {
		return ""
	}
	return "; it begins anew at " + w.Reset.UTC().Format(time.RFC3339)
}

// Left is the least that the limits leave for what comes next; 0: no bound. It is
// false when one of them leaves nothing.
func Left(s Spent, l Limits) (microUSD, tokens int64, ok bool) {
	left := [2]int64{math.MaxInt64, math.MaxInt64}
	for _, b := range bounds(s, l) {
		i := 1
		if b.money {
			i = 0
		}
		if b.most > 0 {
			left[i] = min(left[i], b.most-b.spent)
		}
	}
	for i := range left {
		if left[i] <= 0 {
			return 0, 0, false
		}
		if left[i] == math.MaxInt64 {
			left[i] = 0
		}
	}
	return left[0], left[1], true
}
