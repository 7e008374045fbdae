package telemetry

import (
	"slices"
	"time"

	"warp/internal/core/lossless"
)

// MaxSessions bounds the sessions that the metrics remember.
const MaxSessions = 1000

// Metrics is the document session/metrics.json.
type Metrics struct {
	Sessions []SessionMetrics `json:"sessions"`
}

// SessionMetrics are the figures of one session.
type SessionMetrics struct {
	lossless.Rest
	SessionID       string      `json:"session_id"`
	Date            string      `json:"date"` // on which it began, UTC
	DurationMinutes int         `json:"duration_minutes"`
	Commands        Counts      `json:"commands"`
	Agents          AgentCounts `json:"agents"`
	Quality         Quality     `json:"quality"`
	Errors          ErrorCounts `json:"errors"`
}

// Quality is what a session found and mended.
type Quality struct {
	IssuesFound   int     `json:"issues_found"`
	IssuesFixed   int     `json:"issues_fixed"`
	CoverageDelta *string `json:"coverage_delta"` // "+8%"; nil when nothing measured it
}

// ErrorCounts are a session's errors.
type ErrorCounts struct {
	Total     int `json:"total"`
	Recovered int `json:"recovered"`
	Escalated int `json:"escalated"`
}

// Add notes a session that ends. A session that was resumed replaces what was
// noted of it; beyond the bound the oldest go.
func (m *Metrics) Add(s *Session, agents AgentCounts, errors Summary, q Quality, now time.Time) {
	row := SessionMetrics{
		SessionID:       s.SessionID,
		Date:            date(s.Started, now),
		DurationMinutes: int(between(s.Started, now).Round(time.Minute).Minutes()),
		Commands:        slices.Clone(s.CommandCounts),
		Agents:          agents,
		Quality:         q,
		Errors:          ErrorCounts{errors.Total, errors.Recovered, errors.Escalated},
	}
	at := slices.IndexFunc(m.Sessions, func(x SessionMetrics) bool { return x.SessionID == s.SessionID })
	if at >= 0 {
		row.Rest = m.Sessions[at].Rest
		m.Sessions[at] = row
		return
	}
	m.Sessions = append(m.Sessions, row)
	if extra := len(m.Sessions) - MaxSessions; extra > 0 {
		m.Sessions = slices.Delete(m.Sessions, 0, extra)
	}
}

func date(started string, now time.Time) string {
	if t, err := time.Parse(time.RFC3339, started); err == nil {
		now = t
	}
	return now.UTC().Format(time.DateOnly)
}
