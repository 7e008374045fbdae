package watch

import (
	"fmt"
	"strconv"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// join puts lines behind each other, with a dot between.
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

// called is how people call an item.
func called(i feed.Item) string { return text.Flat(render.Name(i)) }

// short is a time that has passed, in few letters.
func short(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02d", d/time.Hour, d%time.Hour/time.Minute)
	}
	return fmt.Sprintf("%dd", d/(24*time.Hour))
}

// spent is what an item has cost so far, with the agents at work.
func spent(i feed.Item) (micro, tokens int64) {
	micro, tokens = i.Cost.MicroUSD, i.Cost.Tokens
	if i.Live != nil {
		for _, a := range i.Live.Agents {
			micro, tokens = micro+a.MicroUSD, tokens+a.Tokens
		}
	}
	return micro, tokens
}

// money is an amount with two digits.
func money(micro int64) string {
	return "$" + strconv.FormatFloat(float64(micro)/1e6, 'f', 2, 64)
}

// ofCap is an amount of money, and the bound that it is held against.
func ofCap(micro, most int64) string {
	if most <= 0 {
		return money(micro)
	}
	return money(micro) + " of " + money(most)
}

// lasted is how long an item has been under way.
func lasted(i feed.Item, now time.Time) time.Duration {
	if i.Started.IsZero() {
		return 0
	}
	if i.State.Over() && !i.Ended.IsZero() {
		return i.Ended.Sub(i.Started)
	}
	return now.Sub(i.Started)
}

// ended says how an item ended.
func ended(i feed.Item) string {
	if i.Kind == feed.Drive || i.Kind == feed.Guided {
		return evidence.Result(i.Result).Words()
	}
	return i.Result
}

// moment reads a stamp; what is none is no time.
func moment(stamp string) time.Time {
	t, _ := time.Parse(time.RFC3339, stamp) // zero
	return t
}
