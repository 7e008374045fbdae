package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/telemetry"
	"warp/internal/durable"
	"warp/internal/hook/logbook"
)

// checkRecords checks what hooks recorded of agent sessions, and the work queue.
func checkRecords(x exam) []Finding {
	s := x.drive.Store()
	if !s.Exists() {
		return nil
	}
	book := logbook.Open(s, x.app.Env.Now)
	var out []Finding
	sessions, err := book.Sessions()
	_, err2 := book.Subagents.ReadActive()
	_, err3 := book.Errors()
	_, err4 := book.Metrics()
	if err := errors.Join(err, err2, err3, err4); err != nil {
		for line := range strings.Lines(err.Error()) { // report each cause once
			if f := problem("telemetry", strings.TrimSpace(line), ""); !slices.Contains(out, f) {
				out = append(out, f)
			}
		}
	}
	dead, _ := book.ListDeadSessions(x.drive.IsGone) // errors were reported above
	for _, d := range dead {
		out = append(out, warning("telemetry", died(d), "the next session closes and counts it; warp clean does so now"))
	}
	if out == nil {
		out = append(out, ok("telemetry", fmt.Sprintf("%d active sessions", len(sessions))))
	}
	return append(out, checkQueue(x)...)
}

func died(s *telemetry.Session) string {
	seen := s.Seen().Local().Format("2006-01-02 15:04 MST")
	if s.PID <= 0 {
		return fmt.Sprintf("the session %s never ended, and was last seen %s", s.SessionID, seen)
	}
	return fmt.Sprintf("the session %s died: its process %d is gone, it was last seen %s", s.SessionID, s.PID, seen)
}

// checkQueue checks the work queue, which people and other tools write, too.
func checkQueue(x exam) []Finding {
	v, err := x.drive.Project.Queue().Read()
	switch {
	case durable.IsMissing(err):
		return nil
	case err != nil:
		return []Finding{problem("queue", err.Error(), "")}
	}
	var out []Finding
	for _, n := range v.Doc.DescribeUnread() {
		out = append(out, warning("queue", n, "no loop takes it up"))
	}
	if out == nil {
		out = append(out, ok("queue", fmt.Sprintf("%d of %d items open", v.Doc.Open(), len(v.Doc.Items))))
	}
	return out
}
