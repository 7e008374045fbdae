package tokens

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/budget"
	"warp/internal/core/config"
	"warp/internal/core/text"
)

func TestCheck(t *testing.T) {
	chunk := func(tokens, micro int64) Spent {
		return Spent{Chunk: Amount{Amount: budget.Amount{Tokens: tokens, MicroUSD: micro}}}
	}
	window := func(percent float64) Spent {
		return Spent{Windows: []Window{{Name: "seven_day", Percent: 10}, {Name: "five_hour", Percent: percent, Reset: time.Unix(1894720000, 0)}}}
	}
	for name, c := range map[string]struct {
		spent  Spent
		limits Limits
		warn   []string
		stop   string
	}{
		"no limits":        {chunk(1e12, 1e12), Limits{}, nil, ""},
		"little":           {chunk(74, 7_499_999), Limits{Chunk: budget.Amount{MicroUSD: 10_000_000, Tokens: 100}}, nil, ""},
		"75 percent":       {chunk(75, 7_500_000), Limits{Chunk: budget.Amount{MicroUSD: 10_000_000, Tokens: 100}}, []string{"75% of max_chunk_cost ($10.00) is spent", "75% of max_chunk_tokens (100 tokens) is spent"}, ""},
		"nearly all":       {chunk(99, 9_999_999), Limits{Chunk: budget.Amount{MicroUSD: 10_000_000, Tokens: 100}}, []string{"75% of max_chunk_cost ($10.00) is spent", "75% of max_chunk_tokens (100 tokens) is spent"}, ""},
		"tokens":           {chunk(100, 0), Limits{Chunk: budget.Amount{Tokens: 100}}, nil, "max_chunk_tokens is spent: 100 tokens of 100 tokens"},
		"money":            {chunk(0, 10_500_000), Limits{Chunk: budget.Amount{MicroUSD: 10_000_000}}, nil, "max_chunk_cost is spent: $10.50 of $10.00"},
		"session":          {Spent{Session: Amount{Amount: budget.Amount{MicroUSD: 5}}}, Limits{Session: budget.Amount{MicroUSD: 5}, Day: budget.Amount{MicroUSD: 6}}, nil, "max_session_cost is spent"},
		"session's tokens": {Spent{Session: Amount{Amount: budget.Amount{Tokens: 5}}}, Limits{Session: budget.Amount{Tokens: 5}}, nil, "max_session_tokens is spent"},
		"day":              {Spent{Day: Amount{Amount: budget.Amount{Tokens: 7, MicroUSD: 6}}}, Limits{Day: budget.Amount{MicroUSD: 6, Tokens: 100}}, nil, "max_day_cost is spent"},
		"day's tokens":     {Spent{Day: Amount{Amount: budget.Amount{Tokens: 7, MicroUSD: 6}}}, Limits{Day: budget.Amount{Tokens: 7}}, nil, "max_day_tokens is spent"},
		"the first counts": {Spent{Chunk: Amount{Amount: budget.Amount{MicroUSD: 9}}, Day: Amount{Amount: budget.Amount{MicroUSD: 9}}}, Limits{Chunk: budget.Amount{MicroUSD: 9}, Day: budget.Amount{MicroUSD: 10}}, []string{"75% of max_day_cost ($0.00) is spent"}, "max_chunk_cost"},
		"unpriced":         {Spent{Chunk: Amount{Amount: budget.Amount{MicroUSD: 1}, Unpriced: true}}, Limits{Chunk: budget.Amount{MicroUSD: 9_000_000, Tokens: 5}}, []string{"max_chunk_cost ($9.00) covers only usage with a known price; add prices to ~/.claude/prices.json, or set a limit in tokens"}, ""},
		"small numbers":    {chunk(1, 0), Limits{Chunk: budget.Amount{Tokens: 2}}, nil, ""},
		"window":           {window(67.4), Limits{WindowPercent: 90}, nil, ""},
		"window, 75":       {window(67.5), Limits{WindowPercent: 90}, []string{"75% of stop_at_window_percent (90%) of the window five_hour is used"}, ""},
		"window, full":     {window(90.2), Limits{WindowPercent: 90}, nil, "stop_at_window_percent is reached: 90% of the subscription's window five_hour is used, 90% is the limit; it resets at " + text.LocalStamp("2030-01-15T15:06:40Z")},
		"window, no limit": {window(100), Limits{}, nil, ""},
	} {
		warn, stop := Check(c.spent, c.limits)
		if diff := cmp.Diff(c.warn, warn); diff != "" || !strings.HasPrefix(stop, c.stop) || (stop == "") != (c.stop == "") {
			t.Errorf("%s: %q\n%s", name, stop, diff)
		}
	}
}

func TestLimitsOfTheSettings(t *testing.T) {
	s, err := config.Parse([]byte(`{"_workflow": {"max_chunk_cost": 1, "max_session_cost": 2, "max_day_cost": 3, "max_chunk_tokens": 4, "max_session_tokens": 5, "max_day_tokens": 6, "stop_at_window_percent": 7}}`))
	if got := LimitsOf(s.Workflow); err != nil || got != (Limits{budget.Amount{MicroUSD: 1_000_000, Tokens: 4}, budget.Amount{MicroUSD: 2_000_000, Tokens: 5}, budget.Amount{MicroUSD: 3_000_000, Tokens: 6}, 7}) {
		t.Errorf("%+v, %v", got, err)
	}
}
