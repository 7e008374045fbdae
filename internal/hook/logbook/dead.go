package logbook

import (
	"errors"
	"slices"
	"strings"
	"time"

	"warp/internal/core/telemetry"
)

// silence is how long a session whose process is not known may be silent before it
// counts as dead.
const silence = 24 * time.Hour

// Sessions are all that are on record and have not ended, the current one first.
func (b Book) Sessions() ([]*telemetry.Session, error) {
	all, err := b.listRecords()
	return slices.DeleteFunc(all, func(s *telemetry.Session) bool { return s.Ended != "" }), err
}

// listRecords are all sessions that have a document, the current one first.
func (b Book) listRecords() (list []*telemetry.Session, err error) {
	names, err := b.store.List(SessionFolder)
	ids := []string{""}
	for _, n := range names {
		if id, ok := strings.CutSuffix(n, ".json"); ok && !slices.Contains(reserved, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		s, bad := b.Session(id)
		if err = errors.Join(err, bad); s != nil {
			list = append(list, s)
		}
	}
	return list, err
}

// ListDeadSessions are the sessions that never ended and whose process is gone, by what is told of
// processes. Where none is known, a day without a sign of life tells.
func (b Book) ListDeadSessions(isGone func(pid int, stamp string) bool) (list []*telemetry.Session, err error) {
	all, err := b.Sessions()
	for _, s := range all {
		if s.PID > 0 && isGone(s.PID, s.PIDStamp) || s.PID <= 0 && b.now().Sub(s.Seen()) > silence {
			list = append(list, s)
		}
	}
	return list, err
}

// EndDeadSessions closes the sessions that died, but for one that is about to come back.
func (b Book) EndDeadSessions(except string, isGone func(pid int, stamp string) bool) error {
	dead, err := b.ListDeadSessions(isGone)
	for _, s := range dead {
		if s.SessionID != except {
			err = errors.Join(err, b.EndDeadSession(s.SessionID))
		}
	}
	return err
}
