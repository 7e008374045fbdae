package live

import (
	"fmt"
	"strconv"
	"time"

	"warp/internal/core/budget"
)

// joined puts two texts together; either may be missing.
func joined(between, a, b string) string {
	switch {
	case b == "":
		return a
	case a == "":
		return b
	}
	return a + between + b
}

// name is how people call an issue.
func name(issue string) string {
	if _, err := strconv.Atoi(issue); err == nil {
		return "#" + issue
	}
	return flat(issue)
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

// score is how many criteria are done.
func score(d *watched) string {
	if len(d.criteria) == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d done", d.done(), len(d.criteria))
}

// who is the agent and its role.
func who(d *watched) string {
	if d.role == "" {
		return flat(d.agent)
	}
	return fmt.Sprintf("%s (%s)", flat(d.agent), flat(string(d.role)))
}

// money is what a drive has cost; what is not known is not nothing.
func money(d *watched) string {
	switch {
	case !d.unpriced:
		return budget.Dollars(d.microUSD)
	case d.microUSD == 0:
		return "cost unknown"
	}
	return "at least " + budget.Dollars(d.microUSD)
}

// spent is what a drive has used; an agent whose cost is not known may not count
// its tokens either.
func spent(d *watched, tokens, between string) string {
	if d.unpriced && d.tokens == 0 {
		return money(d)
	}
	return tokens + " tokens" + between + money(d)
}

// about is a number of tokens, short enough for a narrow terminal.
func about(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// lasting is a time to come, rounded up: at its end it is over.
func lasting(d time.Duration) string {
	switch d = max(d, 0); {
	case d <= time.Minute:
		return fmt.Sprintf("%d s", int((d+time.Second-1)/time.Second))
	case d <= time.Hour:
		return fmt.Sprintf("%d min", int((d+time.Minute-1)/time.Minute))
	}
	m := int((d + time.Minute - 1) / time.Minute)
	return fmt.Sprintf("%d h %02d min", m/60, m%60)
}

// elapsed is a time that has passed.
func elapsed(d time.Duration) string { return max(d, 0).Truncate(time.Second).String() }

// clock is a time of day; its date is there when it is another day.
func clock(t, now time.Time) string {
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}
