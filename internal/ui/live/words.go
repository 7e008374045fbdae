package live

import (
	"fmt"
	"time"

	"warp/internal/core/budget"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/feed"
)

// name returns an issue as people write it.
func name(issue string) string {
	return flat(feed.IssueLabel(issue))
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("#%d", n)
}

func chunk(n, total int) string {
	switch {
	case n == 0:
		return ""
	case total == 0:
		return fmt.Sprintf("chunk %d", n)
	}
	return fmt.Sprintf("chunk %d/%d", n, total)
}

// score returns how many criteria are done.
func score(d *watched) string {
	if len(d.criteria) == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d done", countDone(d.criteria), len(d.criteria))
}

func countDone(list []drive.Criterion) (n int) {
	for _, c := range list {
		if c.Done {
			n++
		}
	}
	return n
}

// who returns the agent and its role.
func who(d *watched) string {
	if d.role == "" {
		return flat(d.agent)
	}
	return fmt.Sprintf("%s (%s)", flat(d.agent), flat(string(d.role)))
}

// money returns a drive's cost, and says if a part is unknown.
func money(d *watched) string {
	switch {
	case !d.unpriced:
		return budget.Dollars(d.microUSD)
	case d.microUSD == 0:
		return "cost unknown"
	}
	return "at least " + budget.Dollars(d.microUSD)
}

// usageText returns a drive's usage; an agent of unknown cost may not count its tokens either.
func usageText(d *watched, tokens, between string) string {
	if d.unpriced && d.tokens == 0 {
		return money(d)
	}
	return tokens + " tokens" + between + money(d)
}

// elapsed formats a duration.
func elapsed(d time.Duration) string { return max(d, 0).Truncate(time.Second).String() }
