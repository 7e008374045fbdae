package codex

import (
	"strconv"
	"strings"
	"time"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// The texts are the CLI's own, from events that report a failed turn. They are compiled on first
// use, which is rare.
var (
	statusText = lazy.Pattern{Text: `status:? (\d{3})\b`}
	againText  = lazy.Pattern{Text: `try again at ([^.]+)\.`}
	ordinal    = lazy.Pattern{Text: `(\d)(st|nd|rd|th),`}
)

// fail sets why a turn failed.
func (p *parser) fail(r *agent.Result) {
	r.Why = text.Clip(strings.TrimSpace(p.failure), 300)
	status := 0
	if m := statusText.Get().FindStringSubmatch(p.failure); m != nil {
		status, _ = strconv.Atoi(m[1])
	}
	switch {
	case strings.Contains(p.failure, "hit your usage limit"):
		r.End, r.Reset = agent.Limited, resetTime(p.failure, p.adapter.Now())
	case strings.Contains(p.failure, "reason: content_filter"):
		r.End = agent.Refused
	case strings.Contains(p.failure, "context window"):
		r.End = agent.Crashed
	default:
		// No status: high demand (which is what a 500 becomes), a broken stream, no connection.
		r.End, r.Class = agent.Refusal(status, p.failure)
	}
	if r.End == agent.NoLogin {
		r.Why += "; log in: codex login (or set CODEX_API_KEY)"
	}
}

// resetTime parses "10:53 AM", meaning today, or "Nov 16th, 2026 10:53 AM", both in the machine's
// zone. It returns zero for anything else.
func resetTime(text string, now time.Time) time.Time {
	m := againText.Get().FindStringSubmatch(text)
	if m == nil {
		return time.Time{}
	}
	at := ordinal.Get().ReplaceAllString(m[1], "$1,")
	if t, err := time.ParseInLocation("Jan 2, 2006 3:04 PM", at, now.Location()); err == nil {
		return t
	}
	t, err := time.ParseInLocation("3:04 PM", at, now.Location())
	if err != nil {
		return time.Time{}
	}
	// The seconds are cut off: a minute late is better than too early.
	today := time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute()+1, 0, 0, now.Location())
	if today.Before(now) {
		today = today.AddDate(0, 0, 1)
	}
	return today
}
