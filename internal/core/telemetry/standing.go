package telemetry

import (
	"strconv"
	"strings"
	"time"
)

// Standing is how a project stands: what was fixed so far, and how much of it the tests
// cover, where that was measured.
type Standing struct {
	QueueDone    int      `json:"queue_done"`    // items of the work queue that were ever closed
	IssuesClosed int      `json:"issues_closed"` // of a tracker that is in the project
	Coverage     *float64 `json:"coverage"`      // percent; nil: not known
	CoverageAt   string   `json:"coverage_at,omitempty"`
}

// Same tells whether two standings are alike.
func (s *Standing) Same(t *Standing) bool {
	if s == nil || t == nil {
		return s == t
	}
	known := (s.Coverage == nil) == (t.Coverage == nil)
	return known && s.QueueDone == t.QueueDone && s.IssuesClosed == t.IssuesClosed && s.CoverageAt == t.CoverageAt &&
		(s.Coverage == nil || *s.Coverage == *t.Coverage)
}

// Quality is what the session found and fixed: items of the work queue and issues that
// were closed while it ran. A requirement that a drive has merged is an issue of the
// tracker, and is not counted twice.
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

// covered is by how much the coverage has changed; nil unless it was known when the
// session began and was measured again since.
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
