// Package telemetry defines the documents about an agent's sessions: the current session, its
// running agents and their results, its classified errors, the metrics of past sessions, and
// backups of a context that is about to be compacted. It does no I/O and reads no clock.
//
// Each type is one document, with its members in file order. Members outside the documented schema
// come last and are omitted while empty. Other programs read and write these files too: their
// additions stay in place, and sessions may share a file, so the end of a session removes only its
// own data. Every list is bounded.
//
// Agents' output is read leniently: a transcript line or last message with an unexpected shape is
// ignored, not an error.
package telemetry

import (
	"strings"
	"time"

	"warp/internal/core/text"
)

const stampLayout = "2006-01-02T15:04:05Z"

// Stamp formats a time as these documents do: UTC, in seconds.
func Stamp(t time.Time) string { return t.UTC().Format(stampLayout) }

// seconds reformats a row's time as in these documents; anything else stays unchanged.
func seconds(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return at
	}
	return Stamp(t)
}

// between returns the time from a stamp to now, never negative; 0 if it is no stamp.
func between(from string, now time.Time) time.Duration {
	t, err := time.Parse(time.RFC3339, from)
	if err != nil {
		return 0
	}
	return max(0, now.Sub(t))
}

// oneLine returns a text as one line of at most n bytes.
func oneLine(s string, n int) string {
	s = text.OneLine(text.Prefix(s, 4*n))
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(text.Prefix(s, n-len("…")), " ") + "…"
}
