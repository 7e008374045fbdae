// Package telemetry is the documents that tell of an agent's sessions: the
// current session, its running agents and their results, its classified errors,
// the metrics of past sessions, and what is kept from a context that is about to
// be compacted. It is pure: no I/O, no clock.
//
// Each type is one document, member by member as it stands in the file; members
// that are not part of the documented schema come last and are left out while
// empty. Others read and write these files too: what they add is kept, in place,
// and several sessions may share one file, so what ends with a session takes
// only its own away. Every list is bounded.
//
// What an agent says is read leniently: a transcript line or a last message
// that has another shape than expected tells nothing, and is not an error.
package telemetry

import (
	"strings"
	"time"

	"warp/internal/core/text"
)

const stampLayout = "2006-01-02T15:04:05Z"

// Stamp prints a time as these documents do: UTC, seconds.
func Stamp(t time.Time) string { return t.UTC().Format(stampLayout) }

// seconds prints a row's time as these documents do; anything else stays as it is.
func seconds(at string) string {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return at
	}
	return Stamp(t)
}

// between is the time from a stamp to now, never negative; 0 for anything but a
// stamp.
func between(from string, now time.Time) time.Duration {
	t, err := time.Parse(time.RFC3339, from)
	if err != nil {
		return 0
	}
	return max(0, now.Sub(t))
}

// oneLine is a text on one line of at most n bytes.
func oneLine(s string, n int) string {
	s = text.OneLine(text.Prefix(s, 4*n))
	if len(s) <= n {
		return s
	}
	return strings.TrimRight(text.Prefix(s, n-len("…")), " ") + "…"
}
