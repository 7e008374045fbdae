package telemetry

import (
	"slices"
	"time"

	"warp/internal/core/lossless"
)

// maxSessions limits the sessions in the metrics.
const maxSessions = 1000

// Metrics is the document session/metrics.json.
type Metrics struct {
	Sessions []SessionMetrics `json:"sessions"`
}

type SessionMetrics struct {
	lossless.Origin
	SessionID       string      `json:"session_id"`
	Date            string      `json:"date"` // its start, in UTC
	DurationMinutes int         `json:"duration_minutes"`
	Commands        Counts      `json:"commands"`
	Agents          AgentCounts `json:"agents"`
	Quality         Quality     `json:"quality"`
	Errors          ErrorCounts `json:"errors"`

	EndReason string `json:"end_reason,omitempty"` // only Died, if it did not end normally
	Ended     string `json:"ended,omitempty"`      // the last end that was counted
}

// Died is the end reason of a session whose process was gone.
const Died = "died"

// Quality counts what a session found and fixed.
type Quality struct {
	IssuesFound   int     `json:"issues_found"`
	IssuesFixed   int     `json:"issues_fixed"`
	CoverageDelta *string `json:"coverage_delta"` // "+8%"; nil if not measured
}

type ErrorCounts struct {
	Total     int `json:"total"`
	Recovered int `json:"recovered"`
	Escalated int `json:"escalated"`
}

// Find returns a session's metrics, or nil.
func (m *Metrics) Find(session string) *SessionMetrics {
	at := slices.IndexFunc(m.Sessions, func(x SessionMetrics) bool { return x.SessionID == session })
	if at < 0 {
		return nil
	}
	return &m.Sessions[at]
}

// Restore carries the metrics of a session that ended into its new document.
func (s *Session) Restore(row *SessionMetrics) {
	if row == nil {
		return
	}
	s.Earlier = row.DurationMinutes
	s.CommandCounts = slices.Clone(row.Commands)
	for _, c := range row.Commands {
		s.CommandsExecuted = append(s.CommandsExecuted, c.Name)
	}
}

// Add records the end of a session. For a resumed session it adds agents, errors and quality to the
// earlier figures, since their documents start over after each end; the session's document
// continues. Beyond the limit it drops the oldest sessions. It ignores an end it already recorded:
// a kill may come before the session's document says so.
func (m *Metrics) Add(s *Session, agents AgentCounts, errors Summary, q Quality, now time.Time) {
	row := SessionMetrics{
		SessionID:       s.SessionID,
		Date:            date(s.Started, now),
		DurationMinutes: s.Minutes(now),
		Commands:        slices.Clone(s.CommandCounts),
		Agents:          agents,
		Quality:         q,
		Errors:          ErrorCounts{errors.Total, errors.Recovered, errors.Escalated},
		Ended:           s.Ended,
	}
	if s.EndReason == Died {
		row.EndReason = Died
	}
	if old := m.Find(s.SessionID); old != nil {
		if old.Ended != "" && old.Ended == s.Ended {
			return
		}
		row.plus(old)
		*old = row
		return
	}
	m.Sessions = append(m.Sessions, row)
	if extra := len(m.Sessions) - maxSessions; extra > 0 {
		m.Sessions = slices.Delete(m.Sessions, 0, extra)
	}
}

// plus adds the figures of the session's earlier ends.
func (x *SessionMetrics) plus(old *SessionMetrics) {
	x.Origin, x.Date = old.Origin, old.Date
	x.Agents = AgentCounts{x.Agents.Spawned + old.Agents.Spawned, x.Agents.Completed + old.Agents.Completed, x.Agents.Failed + old.Agents.Failed}
	x.Errors = ErrorCounts{x.Errors.Total + old.Errors.Total, x.Errors.Recovered + old.Errors.Recovered, x.Errors.Escalated + old.Errors.Escalated}
	x.Quality.IssuesFound += old.Quality.IssuesFound
	x.Quality.IssuesFixed += old.Quality.IssuesFixed
	if x.Quality.CoverageDelta == nil {
		x.Quality.CoverageDelta = old.Quality.CoverageDelta
	}
}

func date(started string, now time.Time) string {
	if t, err := time.Parse(time.RFC3339, started); err == nil {
		now = t
	}
	return now.UTC().Format(time.DateOnly)
}

// Counts is an object of names and numbers that keeps the order in which names were added.
type Counts []Count

type Count struct {
	Name string
	N    int
}

func (c Counts) add(name string) Counts {
	for i := range c {
		if c[i].Name == name {
			c[i].N++
			return c
		}
	}
	return append(c, Count{name, 1})
}

// FromJSON reads an object of whole numbers.
func (c *Counts) FromJSON(v *lossless.Value) *lossless.TypeError {
	if v.Kind != lossless.Object {
		return lossless.Wrong(v, "an object")
	}
	*c = make(Counts, 0, len(v.Members))
	for _, m := range v.Members {
		n, ok := m.Value.Int()
		if !ok {
			return lossless.Wrong(m.Value, "a whole number").Under(m.Key)
		}
		*c = append(*c, Count{m.Key, int(n)})
	}
	return nil
}

// ToJSON prints the object, reusing unchanged parts of src.
func (c Counts) ToJSON(src *lossless.Value) *lossless.Value {
	if src != nil && src.Kind == lossless.Null && len(c) == 0 {
		return src
	}
	ms := make([]lossless.Member, len(c))
	for i, e := range c {
		v := src.Get(e.Name)
		if n, ok := v.Int(); !ok || n != int64(e.N) {
			v = lossless.NewInt(int64(e.N))
		}
		ms[i] = lossless.Member{Key: e.Name, Value: v}
	}
	return lossless.Reuse(ms, src)
}
