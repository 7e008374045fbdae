package drive

import (
	"fmt"
	"time"

	"warp/internal/core/config"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// explainUnfollowed returns which limit of the requirement is reached, or "". Checks that stay red
// would otherwise start cycle after cycle; a person's request restarts the count.
func explainUnfollowed(cfg config.Settings, past *evidence.Book, f *evidence.Follow) string {
	cycles := 0
	for _, e := range past.Follows {
		if cycles++; e.Row.Asked {
			cycles = 0
		}
	}
	if most := max(1, cfg.Limits.CodingCycles); !f.Asked && cycles >= most {
		return fmt.Sprintf("%s, still after %s (max_coding_cycles)", f.Why, text.Count(cycles, "cycle"))
	}
	if limit := cfg.SessionMicroUSD; limit > 0 && past.Cost(0).MicroUSD >= limit {
		return fmt.Sprintf("%s, and the %s for it are spent (max_session_cost)", f.Why, evidence.Dollars(limit))
	}
	if limit := time.Duration(cfg.Limits.SessionMinutes) * time.Minute; limit > 0 && timeTaken(past) >= limit {
		return fmt.Sprintf("%s, and the %s for it are over (max_session_minutes)", f.Why, text.Count(cfg.Limits.SessionMinutes, "minute"))
	}
	return ""
}

// timeTaken returns how long agents and tests worked. Unlike a session's duration, it leaves out
// waiting for people.
func timeTaken(book *evidence.Book) time.Duration {
	seconds := book.Cost(0).Seconds
	for _, t := range book.Tests {
		seconds += t.Row.Seconds
	}
	return time.Duration(seconds * float64(time.Second))
}

// earlierTime returns what earlier cycles of the pull request took of the session's time: they
// share one limit.
func (t *turn) earlierTime() time.Duration {
	if t.following() == nil {
		return 0
	}
	return timeTaken(t.book.Of(t.s.Issue(), 0)) - timeTaken(t.evidenceOfIssue(t.s))
}
