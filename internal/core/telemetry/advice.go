package telemetry

import (
	"fmt"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/core/lazy"
)

// EscalateUnknown is the number of unknown failures in a row after which a person is asked.
const EscalateUnknown = 3

type classWords struct{ name, retry string }

// words describe each class: its name, and what to do while there are retries. %s is the time of
// the next one.
var words = lazy.Table[errorclass.Class, classWords]{
	{errorclass.Network, classWords{"network error", "wait until %s, then repeat the same call; the waits double"}},
	{errorclass.RateLimit, classWords{"rate limit", "wait until %s, when the limit is expected to be over, then repeat the same call; do other work meanwhile"}},
	{errorclass.Timeout, classWords{"time-out", "repeat the call now, with a longer time limit or less to do where that is possible"}},
	{errorclass.Resource, classWords{"lack of a resource (disk, memory, open files)", "free some, wait until %s, then repeat the same call"}},
	{errorclass.Syntax, classWords{"syntax error", ""}},
	{errorclass.Validation, classWords{"validation error", ""}},
	{errorclass.Permission, classWords{"permission error", ""}},
	{errorclass.Unknown, classWords{"unknown error", "it is logged; you may try once more, then continue with something else"}},
}

func (x *Entry) name() string { return words.Get(x.Classification.Policy().Class).name }

// Advice tells the agent whose call failed the class of the error, whether and when to retry, and
// when to ask the user. Item is the work item made from the error; "" if none.
func (x *Entry) Advice(item string, now time.Time) string {
	c := x.Classification.Policy().Class
	switch x.Status {
	case Pending:
		how := words.Get(c).retry
		if x.NextRetry != nil && c != errorclass.Timeout {
			how = fmt.Sprintf(how, when(*x.NextRetry, now))
		}
		if c == errorclass.Unknown {
			return fmt.Sprintf("%s: %s.", x.name(), how)
		}
		return fmt.Sprintf("%s, retry %d of %d: %s. If retry %d fails too, stop repeating it and tell the user.", x.name(), x.RetryCount, x.MaxRetries, how, x.MaxRetries)
	case Queued:
		return fmt.Sprintf("%s: do not repeat the call as it is, fix what it complains about.%s", x.name(), queuedAs(item))
	case Logged:
		return fmt.Sprintf("%s, again: it is logged. Do not repeat this call; continue with something else.", x.name())
	}
	if x.MaxRetries > 0 {
		return fmt.Sprintf("%s: all %d retries are used up. Do not repeat this call. Tell the user what fails and what you need, and continue with what does not depend on it.", x.name(), x.MaxRetries)
	}
	return fmt.Sprintf("%s: do not retry, and do not work around it. Tell the user what was refused and which permission is needed.", x.name())
}

func queuedAs(item string) string {
	if item == "" {
		return ""
	}
	return fmt.Sprintf(" It is in the work queue as %s, and is closed when this call succeeds, or with warp queue done.", item)
}

// Notice tells the user, sparingly, about an error that needs them, waits for a limit or became
// work. It returns "" for an error that the agent handles alone.
func (x *Entry) Notice(item string, now time.Time) string {
	switch {
	case x.Status == Escalated:
		return fmt.Sprintf("%s (%s) needs you: %s", x.name(), x.Tool, oneLine(x.Message, 160))
	case x.Status == Queued && x.RetryCount == 0 && item != "":
		return fmt.Sprintf("%s (%s) is in the work queue as %s: %s", x.name(), x.Tool, item, oneLine(x.Message, 160))
	case x.Status == Pending && x.RetryCount == 1 && x.NextRetry != nil && x.Classification != errorclass.Timeout:
		return fmt.Sprintf("%s (%s): it is tried again at %s, %d times at most", x.name(), x.Tool, when(*x.NextRetry, now), x.MaxRetries)
	}
	return ""
}

// when formats a stamp with the time until then.
func when(stamp string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil || !t.After(now) {
		return stamp
	}
	return fmt.Sprintf("%s (in %s)", stamp, t.Sub(now).Round(time.Second))
}
