package drive

import (
	"strconv"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/learning"
	"warp/internal/engine/lessons"
)

// saveLessons adds a run's lessons to those of sessions and workflows. A failure does not end the
// drive.
func (l *ledger) saveLessons(s *drivestate.State, said []learning.Said) {
	about := learning.Learning{Timestamp: l.ports.Now().UTC().Format(time.RFC3339), Type: learning.Insight}
	if s != nil {
		about.Task, about.Issue, about.Iteration = "#"+s.Issue(), s.Issue(), s.Chunk.Index
		about.Began = strconv.FormatInt(s.Session.StartedAtEpoch, 10)
	}
	if _, err := lessons.Open(l.home).Add(learning.From(about, said, l.ports.Redact)); err != nil {
		l.remark("saving the lessons: %v", err)
	}
}
