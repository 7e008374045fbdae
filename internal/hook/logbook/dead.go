package logbook

import (
	"errors"
	"slices"
	"strings"
	"time"

	"warp/internal/core/telemetry"
)

// silence is how long a session without a known process may be silent before it counts as dead.
const silence = 24 * time.Hour

// Sessions returns all recorded sessions that have not ended, the current one first.
func (b Book) Sessions() ([]*telemetry.Session, error) {
	all, err := b.listRecords()
	return slices.DeleteFunc(all, func(s *telemetry.Session) bool { return s.Ended != "" }), err
}

// listRecords returns all recorded sessions, the current one first.
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

// ListDeadSessions returns the sessions that never ended and whose process is gone. One without a
// known process counts as dead after a day of silence.
func (b Book) ListDeadSessions(isGone func(pid int, stamp string) bool) (list []*telemetry.Session, err error) {
	all, err := b.Sessions()
	for _, s := range all {
		if s.PID > 0 && isGone(s.PID, s.PIDStamp) || s.PID <= 0 && b.now().Sub(s.Seen()) > silence {
			list = append(list, s)
		}
	}
	return list, err
}

// EndDeadSessions ends the dead sessions except one that is about to come back.
func (b Book) EndDeadSessions(except string, isGone func(pid int, stamp string) bool) error {
	dead, err := b.ListDeadSessions(isGone)
	for _, s := range dead {
		if s.SessionID != except {
			err = errors.Join(err, b.EndDeadSession(s.SessionID))
		}
	}
	return err
}
