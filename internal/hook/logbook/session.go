package logbook

import (
	"cmp"
	"errors"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/core/text"
	"warp/internal/durable"
)

const current = "current"

// reserved lists other files' names in the folder of sessions.
var reserved = []string{current, "metrics"}

func openSession(store *durable.Store, file string) *durable.Doc[telemetry.Session] {
	return durable.Open(store, "state/session/"+file+".json", durable.Kind[telemetry.Session]{Name: "session/" + file})
}

// ErrName refuses a session's id that cannot be a file name.
var ErrName = errors.New("the session's id cannot be a file's name: " + text.NameRule)

// BeginSession records that a session has begun or come back. The drive's owner, if any, stays
// the current session; otherwise the newest becomes it, and the one before moves to its own file.
func (b Book) BeginSession(s telemetry.Beginning, source, owner string) error {
	if !text.ValidName(s.Session) || slices.Contains(reserved, s.Session) {
		return ErrName
	}
	late := b.FinishInterruptedEnds() // first: the new session may replace one whose end was interrupted, or be it
	err := b.store.Append(event.SessionBegan, lossless.Record("session", s.Session, "source", source, "branch", s.Branch, "commit", s.Commit, "directory", s.Directory))
	if err != nil {
		return err
	}
	own, err := b.readOwnFile(s)
	if err != nil {
		return err
	}
	var moved *telemetry.Session
	aside := false
	_, err = openSession(b.store, current).Update(func(tx *durable.Tx[telemetry.Session]) error {
		was := tx.Doc
		switch {
		case was != nil && was.SessionID == s.Session: // resumed
			wasCounted := was.Counted // Fold resets it
			was.Fold(tx.Since)
			was.Resume(s, wasCounted)
			return nil
		case was != nil && was.Ended == "" && owner == was.SessionID && owner != "":
			aside = true
			return durable.ErrUnchanged
		case was != nil && !was.Counted:
			was.Fold(tx.Since)
			moved = was
		}
		if was == nil {
			own.Fold(tx.Since) // entries journalled since the state was removed
		}
		tx.Doc = own
		return nil
	})
	if err != nil {
		return err
	}
	if aside {
		return errors.Join(late, b.writeOwnFile(own))
	}
	if moved != nil {
		err = b.writeOwnFile(moved)
	}
	return errors.Join(late, err, b.store.RemoveFile(SessionFolder+"/"+s.Session+".json")) // it is the current session now
}

// readOwnFile returns a session from its own file, with the journal since then; a new one if it
// has no file.
func (b Book) readOwnFile(s telemetry.Beginning) (*telemetry.Session, error) {
	v, err := openSession(b.store, s.Session).Read()
	if durable.IsMissing(err) {
		own := telemetry.Begin(s)
		if past, err := read(openMetrics(b.store)); err == nil { // a damaged record must not keep it from beginning
			own.Restore(past.Find(s.Session))
		}
		return own, nil
	}
	if err != nil {
		return nil, err
	}
	v.Doc.Fold(v.Since)
	v.Doc.Resume(s, false) // a counted session has no file left
	return v.Doc, nil
}

// writeOwnFile writes a session other than the current one.
func (b Book) writeOwnFile(s *telemetry.Session) error {
	_, err := openSession(b.store, s.SessionID).Update(func(tx *durable.Tx[telemetry.Session]) error {
		tx.Doc = s
		return nil
	})
	return err
}

// findDocument returns the document of a session: the current one, or its own.
func (b Book) findDocument(id string) (*durable.Doc[telemetry.Session], error) {
	doc := openSession(b.store, current)
	v, err := doc.Read()
	if err == nil && v.Doc.SessionID == id {
		return doc, nil
	}
	if err != nil && !durable.IsMissing(err) {
		return nil, err
	}
	if !text.ValidName(id) {
		return nil, ErrName
	}
	return openSession(b.store, id), nil
}

// FlushSession updates a session's document from the journal and, unless now is nil, with the
// project's state. It reports whether the session is on record.
func (b Book) FlushSession(id string, now *telemetry.Standing) (known bool, err error) {
	doc, err := b.findDocument(id)
	if err != nil {
		return false, err
	}
	_, err = doc.Update(func(tx *durable.Tx[telemetry.Session]) error {
		if tx.Doc == nil {
			return durable.ErrUnchanged
		}
		known = true
		changed := tx.Doc.Fold(tx.Since)
		if stood := cmp.Or(tx.Doc.After, tx.Doc.Before); now != nil && !now.Same(stood) {
			tx.Doc.After, changed = now, true
		}
		if !changed {
			return durable.ErrUnchanged
		}
		return nil
	})
	return known, err
}

// IsRecordMissing reports whether a session that has not ended lost its record because someone
// removed the folder. Ending a session removes its own file on purpose.
func (b Book) IsRecordMissing(id string) bool {
	doc, err := b.findDocument(id)
	if err != nil {
		return false
	}
	if _, err := doc.Read(); !durable.IsMissing(err) {
		return false
	}
	_, removed := doc.Known()
	return !removed
}

// Session returns a session with all that was journalled since; nil if there is none. "" is the
// current one.
func (b Book) Session(id string) (*telemetry.Session, error) {
	doc := openSession(b.store, current)
	if id != "" {
		var err error
		if doc, err = b.findDocument(id); err != nil {
			return nil, err
		}
	}
	v, err := doc.Read()
	if durable.IsMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v.Doc.Fold(v.Since)
	return v.Doc, nil
}
