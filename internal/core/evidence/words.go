package evidence

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/text"
)

// Money formats what runs cost, and never shows an unknown price as zero.
func (c Cost) Money() string {
	switch {
	case c.Unpriced == 0:
		return Dollars(c.MicroUSD)
	case c.MicroUSD == 0 && c.Unpriced == c.Runs:
		return "unknown"
	}
	return "at least " + Dollars(c.MicroUSD) + fmt.Sprintf(" (%d of %s with an unknown price)", c.Unpriced, text.Count(c.Runs, "run"))
}

// Sum is Money without the count of unpriced runs, for a column.
func (c Cost) Sum() string {
	switch {
	case c.Unpriced == 0:
		return Dollars(c.MicroUSD)
	case c.MicroUSD == 0:
		return "unknown"
	}
	return "at least " + Dollars(c.MicroUSD)
}

func (c Cost) String() string {
	if c.Runs == 0 {
		return "no agent was run"
	}
	return c.Money() + "; " + text.JoinNonEmpty(", ", c.tokens(), text.Count(c.Runs, "run"), text.Span(c.Seconds))
}

// tokens says how many tokens were used; "" if no run said so.
func (c Cost) tokens() string {
	if c.Tokens == 0 && c.Unpriced > 0 {
		return ""
	}
	return text.Thousands(c.Tokens) + " tokens"
}

// Dollars formats an amount; small ones with more digits.
func Dollars(micro int64) string {
	if micro != 0 && micro < 10_000 && micro > -10_000 {
		return fmt.Sprintf("$%.4f", float64(micro)/1e6)
	}
	return budget.Dollars(micro)
}

// between returns the time between two stamps; "" if unknown.
func between(from, to string) string {
	a, err := time.Parse(time.RFC3339, from)
	b, wrong := time.Parse(time.RFC3339, to)
	if err != nil || wrong != nil || b.Before(a) {
		return ""
	}
	return text.Span(b.Sub(a).Seconds())
}

// Said describes the result of a test run.
func (t Tested) Said() string {
	switch {
	case t.NotRun:
		return "not run, as the settings say"
	case t.TimedOut:
		return "did not end in time"
	case len(t.Broke) > 0:
		return "failed: " + text.Count(len(t.Broke), "test") + " broke"
	case t.Red:
		return "red as before, nothing new fails"
	case t.Passed:
		return "passed"
	}
	return fmt.Sprintf("failed, exit code %d", t.Exit)
}

// Said describes a gate's answer, without the reason.
func (g Gate) Said() string {
	if g.Passed {
		return "passed"
	}
	return "refused"
}

// Size describes how much a commit changed.
func (c Commit) Size() string {
	return fmt.Sprintf("%s, +%d -%d", text.Count(c.Files, "file"), c.Insertions, c.Deletions)
}

// resultWords are for results whose name is not clear enough.
var resultWords = map[Result]string{"": "not ended", Pull: "pull request open", Partly: "partly done", Budget: "budget spent", Person: "needs a person"}

// Words formats a result for people.
func (r Result) Words() string {
	return cmp.Or(resultWords[r], strings.ReplaceAll(visible(string(r)), "_", " "))
}
