package logbook

import (
	"errors"
	"slices"
	"strings"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/durable"
)

// keepBackups is how many compaction backups outlive a session.
const keepBackups = 3

// EndSession ends a session: it adds its figures to the metrics and removes its errors, results
// and running agents, but keeps the newest backups. now is the project's state; nil keeps the one
// seen last.
func (b Book) EndSession(id, reason string, now *telemetry.Standing) error {
	err := b.store.Append(event.SessionEnded, lossless.Record("session", id, "reason", reason))
	if err != nil {
		return err
	}
	return b.finishEnd(id, now)
}

// EndDeadSession ends a session that died, as of its last sign of life.
func (b Book) EndDeadSession(id string) error {
	was, err := b.Session(id)
	if err != nil || was == nil || was.Ended != "" {
		return err
	}
	return b.EndSession(id, telemetry.Died, nil)
}

// finishEnd does the work that follows a session's end. It marks the document last, and each step
// can run twice, so that the next start completes what a kill interrupted.
func (b Book) finishEnd(id string, now *telemetry.Standing) error {
	s, err := b.Session(id)
	if err != nil {
		return err
	}
	if s == nil || s.Counted {
		return b.removeTraces(id)
	}
	if now != nil {
		s.After = now
	}
	if err := b.addToMetrics(id, s); err != nil {
		return err
	}
	return errors.Join(b.removeTraces(id), b.markCounted(id, now))
}

// FinishInterruptedEnds finishes the sessions whose end was interrupted.
func (b Book) FinishInterruptedEnds() error {
	all, err := b.listRecords()
	for _, s := range all {
		if s.Ended != "" && !s.Counted {
			err = errors.Join(err, b.finishInterruptedEnd(s.SessionID))
		}
	}
	return err
}

func (b Book) finishInterruptedEnd(id string) error {
	past, err := read(openMetrics(b.store))
	if err != nil {
		return err
	}
	if row := past.Find(id); row != nil && row.Ended == "" { // counted by a version that did not mark it
		return b.markCounted(id, nil)
	}
	return b.finishEnd(id, nil)
}

// markCounted marks a session as counted. The current session's file stays, marked as ended; a
// session's own file is removed.
func (b Book) markCounted(id string, now *telemetry.Standing) error {
	doc, err := b.findDocument(id)
	if err != nil {
		return err
	}
	_, err = doc.Update(func(tx *durable.Tx[telemetry.Session]) error {
		if tx.Doc == nil {
			return durable.ErrUnchanged
		}
		if tx.Doc.Fold(tx.Since); tx.Doc.Ended == "" { // it has come back
			return durable.ErrUnchanged
		}
		if tx.Doc.Counted = true; now != nil {
			tx.Doc.After = now
		}
		if doc.Path() != openSession(b.store, current).Path() {
			tx.Doc = nil
		}
		return nil
	})
	return err
}

func (b Book) addToMetrics(id string, s *telemetry.Session) error {
	agents, err := read(openAgents(b.store))
	if err != nil {
		return err
	}
	faults, err := read(openErrors(b.store))
	if err != nil {
		return err
	}
	found := 0
	results, err := b.Subagents.ListResults(id)
	for _, r := range results {
		found += r.Metrics.IssuesFound
	}
	if err != nil {
		return err
	}
	return change(openMetrics(b.store), func(m *telemetry.Metrics) {
		m.Add(s, agents.Counts(id), faults.Of(id), s.Quality(found+faults.Of(id).Queued), s.Until())
	}, nil)
}

// removeTraces removes what belongs to this session alone.
func (b Book) removeTraces(id string) error {
	results, err := b.Subagents.ListResults(id)
	all := []error{err}
	for _, r := range results {
		all = append(all, b.store.RemoveFile(ResultsFolder+"/"+r.AgentID+".json"))
	}
	all = append(all, b.Subagents.markRead(id))
	if old, err := read(openAgents(b.store)); err == nil && old.Counts(id).Spawned > 0 {
		all = append(all, change(openAgents(b.store), func(a *telemetry.Agents) { a.Clear(id) }, nil))
	}
	if old, err := read(openErrors(b.store)); err == nil && len(old.Errors) > 0 {
		all = append(all, change(openErrors(b.store), func(e *telemetry.Errors) { e.Drop(id) }, func(e *telemetry.Errors) bool { return len(e.Errors) > 0 }))
	}
	backups, err := listBackups(b.store)
	all = append(all, err)
	for _, name := range backups[:max(0, len(backups)-keepBackups)] {
		if !b.isBackupInUse(name, id) {
			all = append(all, b.store.RemoveFile(BackupFolder+"/"+name))
		}
	}
	return errors.Join(all...)
}

// isBackupInUse reports whether a backup belongs to another session that still runs.
func (b Book) isBackupInUse(name, id string) bool {
	owner := readRaw(b.store, BackupFolder+"/"+name).Get("preserved").Get("session").Get("session_id").Text()
	if owner == "" || owner == id {
		return false
	}
	s, err := b.Session(owner)
	return err == nil && s != nil && s.Ended == ""
}

func listBackups(store *durable.Store) ([]string, error) {
	names, err := store.List(BackupFolder)
	var out []string
	for _, n := range names {
		if strings.HasPrefix(n, "backup_") && strings.HasSuffix(n, ".json") {
			out = append(out, n)
		}
	}
	return out, err
}

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
