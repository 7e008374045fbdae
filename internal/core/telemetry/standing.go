package telemetry

import (
	"strconv"
	"strings"
	"time"
)

// Standing is the state of a project: what was fixed so far, and the test coverage if measured.
type Standing struct {
	QueueDone    int      `json:"queue_done"`    // work queue items ever closed
	IssuesClosed int      `json:"issues_closed"` // in a tracker inside the project
	Coverage     *float64 `json:"coverage"`      // percent; nil if unknown
	CoverageAt   string   `json:"coverage_at,omitempty"`
}

// Same reports whether two standings are equal.
func (s *Standing) Same(t *Standing) bool {
	if s == nil || t == nil {
		return s == t
	}
	known := (s.Coverage == nil) == (t.Coverage == nil)
	return known && s.QueueDone == t.QueueDone && s.IssuesClosed == t.IssuesClosed && s.CoverageAt == t.CoverageAt &&
		(s.Coverage == nil || *s.Coverage == *t.Coverage)
}

// Quality returns what the session found and fixed: work queue items and issues closed while it
// ran. A requirement merged by a drive is also an issue of the tracker, and counts once.
func (s *Session) Quality(found int) Quality {
	q := Quality{IssuesFound: found, IssuesFixed: s.Merged}
	if s.Before == nil || s.After == nil {
		return q
	}
	closed := max(s.After.IssuesClosed-s.Before.IssuesClosed, s.Merged)
	q.IssuesFixed = max(0, closed) + max(0, s.After.QueueDone-s.Before.QueueDone)
	q.CoverageDelta = s.covered()
	return q
}

// covered returns the change in coverage; nil unless it was known at the session's start and
// measured again since.
func (s *Session) covered() *string {
	before, after := s.Before, s.After
	if before.Coverage == nil || after.Coverage == nil {
		return nil
	}
	at, err := time.Parse(time.RFC3339, after.CoverageAt)
	began, bad := time.Parse(time.RFC3339, s.Started)
	if err != nil || bad != nil || at.Before(began) {
		return nil
	}
	delta := strings.TrimSuffix(strconv.FormatFloat(*after.Coverage-*before.Coverage, 'f', 1, 64), ".0")
	if delta == "-0" {
		delta = "0"
	}
	if !strings.HasPrefix(delta, "-") {
		delta = "+" + delta
	}
	delta += "%"
	return &delta
}
