package tokens

import (
	"fmt"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/config"
	"warp/internal/core/text"
)

// Amount is tokens and money.
type Amount struct {
	budget.Amount
	Unpriced bool // it cost more, by an unknown amount
}

// Window is how much of a subscription's window is used.
type Window struct {
	Name    string // five_hour, seven_day
	Percent float64
	Reset   time.Time // zero if unknown
}

// Spent is what was spent so far.
type Spent struct {
	Chunk, Session, Day Amount
	Windows             []Window
}

// Limits bound spending; 0: no limit.
type Limits struct {
	Chunk, Session, Day budget.Amount
	WindowPercent       int
}

// LimitsOf returns the limits in a project's settings.
func LimitsOf(w config.Workflow) Limits {
	return Limits{
		Chunk:         budget.Amount{MicroUSD: w.ChunkMicroUSD, Tokens: w.ChunkTokens},
		Session:       budget.Amount{MicroUSD: w.SessionMicroUSD, Tokens: w.SessionTokens},
		Day:           budget.Amount{MicroUSD: w.DayMicroUSD, Tokens: w.DayTokens},
		WindowPercent: w.WindowPercent,
	}
}

// bound is one limit and its usage.
type bound struct {
	setting     string
	spent, most int64
	money       bool
	unpriced    bool
}

func bounds(s Spent, l Limits) []bound {
	return []bound{
		{"max_chunk_cost", s.Chunk.MicroUSD, l.Chunk.MicroUSD, true, s.Chunk.Unpriced},
		{"max_session_cost", s.Session.MicroUSD, l.Session.MicroUSD, true, s.Session.Unpriced},
		{"max_day_cost", s.Day.MicroUSD, l.Day.MicroUSD, true, s.Day.Unpriced},
		{"max_chunk_tokens", s.Chunk.Tokens, l.Chunk.Tokens, false, false},
		{"max_session_tokens", s.Session.Tokens, l.Session.Tokens, false, false},
		{"max_day_tokens", s.Day.Tokens, l.Day.Tokens, false, false},
	}
}

// Check compares spending with the limits. It returns warnings from 75 percent on, and why nothing
// more may be spent ("" if it may). A warning's text does not depend on the exact amount, so that
// one that was already reported is recognised.
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
			warn = append(warn, fmt.Sprintf("%s (%s) covers only usage with a known price; add prices to ~/.claude/prices.json, or set a limit in tokens", b.setting, b.amount(b.most)))
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
		return budget.Dollars(n)
	}
	return fmt.Sprintf("%d tokens", n)
}

func (w Window) until() string {
	if w.Reset.IsZero() {
		return ""
	}
	return "; it resets at " + text.LocalTime(w.Reset)
}
