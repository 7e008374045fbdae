package watch

import (
	"strconv"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// join concatenates the non-empty lines with dots between them.
func join(parts ...line) (out line) {
	for _, p := range parts {
		if p.width() == 0 {
			continue
		}
		if len(out) > 0 {
			out = append(out, span{dim, " · "})
		}
		out = append(out, p...)
	}
	return out
}

// itemLabel returns how people refer to an item.
func itemLabel(i feed.Item) string { return text.Flat(render.Name(i)) }

// itemCost returns an item's cost so far, including agents at work.
func itemCost(i feed.Item) evidence.Cost {
	c := i.Cost
	if i.Live != nil {
		for _, a := range i.Live.Agents {
			c.MicroUSD, c.Tokens = c.MicroUSD+a.MicroUSD, c.Tokens+a.Tokens
		}
	}
	return c
}

// formatMoney formats an amount with two decimals.
func formatMoney(micro int64) string {
	return "$" + strconv.FormatFloat(float64(micro)/1e6, 'f', 2, 64)
}

// formatBudget formats an amount and its cap, if there is one.
func formatBudget(micro, most int64) string {
	if most <= 0 {
		return formatMoney(micro)
	}
	return formatMoney(micro) + " of " + formatMoney(most)
}

// formatCost formats a cost and its cap. A price that no agent has reported is not zero.
func formatCost(c evidence.Cost, most int64) string {
	switch {
	case c.Unpriced == 0:
		return formatBudget(c.MicroUSD, most)
	case c.MicroUSD == 0:
		return "cost unknown"
	}
	return "at least " + formatBudget(c.MicroUSD, most)
}

// shortCost is formatCost for a narrow column.
func shortCost(c evidence.Cost) string {
	switch {
	case c.Unpriced == 0:
		return formatMoney(c.MicroUSD)
	case c.MicroUSD == 0:
		return "unknown"
	}
	return "≥" + formatMoney(c.MicroUSD)
}

// elapsedTime returns how long an item has been, or was, under way.
func elapsedTime(i feed.Item, now time.Time) time.Duration {
	if i.Started.IsZero() {
		return 0
	}
	if i.State.Over() && !i.Ended.IsZero() {
		return i.Ended.Sub(i.Started)
	}
	return now.Sub(i.Started)
}
