// Package logbook stores the records of agents' sessions: the current session, its subagents and
// their results, its errors, its metrics, and backups of contexts about to be compacted. It knows
// where each document is and when to remove it; core/telemetry defines the contents.
//
// Several sessions may work in one project. The current one is the drive's owner or the newest;
// each of the others has its own file, and each removes only its own records when it ends.
package logbook

import (
	"slices"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/durable"
)

// The folders, relative to the project's root.
const (
	SessionFolder = ".claude/state/session"
	AgentsFolder  = ".claude/state/agents"
	ResultsFolder = ".claude/state/agents/results"
	ErrorsFolder  = ".claude/state/errors"
	BackupFolder  = ".claude/state/compaction"
	LoopFolder    = ".claude/state/loop"
)

// Book is the logbook of one project.
type Book struct {
	Subagents Subagents
	store     *durable.Store
	now       func() time.Time
}

// Open returns the logbook kept in a store. It reads nothing yet.
func Open(store *durable.Store, now func() time.Time) Book {
	return Book{Subagents{store, now}, store, now}
}

func openAgents(store *durable.Store) *durable.Doc[telemetry.Agents] {
	return durable.Open(store, "state/agents/active.json", durable.Kind[telemetry.Agents]{Name: "agents"})
}

func openErrors(store *durable.Store) *durable.Doc[telemetry.Errors] {
	return durable.Open(store, "state/errors/classified.json", durable.Kind[telemetry.Errors]{Name: "errors"})
}

func openMetrics(store *durable.Store) *durable.Doc[telemetry.Metrics] {
	return durable.Open(store, "state/session/metrics.json", durable.Kind[telemetry.Metrics]{Name: "metrics"})
}

// change edits a document. It creates a missing one, and removes one that keep reports as empty.
func change[T any](doc *durable.Doc[T], fn func(*T), keep func(*T) bool) error {
	_, err := doc.Update(func(tx *durable.Tx[T]) error {
		if tx.Doc == nil {
			tx.Doc = new(T)
		}
		fn(tx.Doc)
		if keep != nil && !keep(tx.Doc) {
			tx.Doc = nil
		}
		return nil
	})
	return err
}

// read returns a document; an empty one if it is missing.
func read[T any](doc *durable.Doc[T]) (*T, error) {
	v, err := doc.Read()
	if durable.IsMissing(err) {
		return new(T), nil
	}
	return v.Doc, err
}

// writeFile writes a document to a plain file: one that is written once.
func writeFile(store *durable.Store, path string, x any) error {
	tree, ok := x.(*lossless.Value)
	if !ok {
		tree = lossless.Encode(x, nil)
	}
	text := append(lossless.AppendIndent(nil, tree), '\n')
	return store.EditFile(path, func([]byte) ([]byte, error) { return text, nil })
}

// readRaw returns a document without the store's own member; nil if it is missing or unreadable.
func readRaw(store *durable.Store, path string) *lossless.Value {
	text, err := store.ReadFile(path)
	if err != nil || len(text) == 0 {
		return nil
	}
	v, err := lossless.Parse(text)
	if err != nil || v.Kind != lossless.Object {
		return nil
	}
	return v.Without("journal")
}

// BackUpContext saves a session's state before its context is compacted.
func (b Book) BackUpContext(session, trigger string, facts telemetry.Facts) error {
	kept := telemetry.Preserved{
		WorkQueue:    readRaw(b.store, LoopFolder+"/work_queue.json"),
		ActiveAgents: readRaw(b.store, AgentsFolder+"/active.json"),
	}
	if text, err := b.store.ReadFile(LoopFolder + "/LOOP_STATE.md"); err == nil && len(text) > 0 {
		kept.LoopState = lossless.Record("text", string(text))
	}
	if s, err := b.Session(session); err == nil && s != nil {
		kept.Session = lossless.Encode(s, nil)
	}
	now := b.now()
	names, err := listBackups(b.store)
	if err != nil {
		return err
	}
	for slices.Contains(names, telemetry.BackupName(now)) { // two backups within one tick of the name
		now = now.Add(time.Millisecond)
	}
	path := BackupFolder + "/" + telemetry.BackupName(now)
	if err := writeFile(b.store, path, telemetry.NewBackup(trigger, kept, facts, now)); err != nil {
		return err
	}
	return b.store.Append(event.Compacted, lossless.Record("session", session, "trigger", trigger, "backup", path))
}

// CorrectBackupTokens corrects the token count of a session's newest backup if the transcript now
// shows more: agents write it a little late.
func (b Book) CorrectBackupTokens(session string, tokens int) error {
	names, err := listBackups(b.store)
	for _, name := range slices.Backward(names) {
		path := BackupFolder + "/" + name
		v := readRaw(b.store, path)
		var old telemetry.Backup
		if v == nil || lossless.Decode(v, &old) != nil || !old.Preserved.Session.Get("session_id").Is(session) {
			continue
		}
		if old.ContextTokensBefore >= tokens {
			return nil
		}
		old.ContextTokensBefore = tokens
		return writeFile(b.store, path, lossless.Encode(&old, v))
	}
	return err
}

// RecordFailure records a failed call. It returns the recorded error and, if a person should look
// at a row of unknown errors, all of that row.
func (b Book) RecordFailure(f telemetry.Failure) (e telemetry.Entry, unknown []telemetry.Entry, err error) {
	err = b.store.Append(event.ToolFailed, lossless.Record("session", f.Session, "id", f.ID, "class", f.Class, "tool", f.Tool, "message", f.Message, "key", f.Key, "context", f.Context))
	if err != nil {
		return e, nil, err
	}
	err = change(openErrors(b.store), func(d *telemetry.Errors) {
		e, unknown = d.Fail(f, b.now()), nil
		if n := d.UnknownRow[f.Session]; n > 0 && n%telemetry.EscalateUnknown == 0 {
			unknown = d.Unknowns(f.Session, telemetry.EscalateUnknown)
		}
	}, nil)
	return e, unknown, err
}

// RecordRecovery records that a call has succeeded: calls that failed before it under one of the
// keys, whose errors it returns as they were, and the end of a row of unknown errors.
func (b Book) RecordRecovery(session string, keys ...string) (were []telemetry.Entry, err error) {
	old := readRaw(b.store, ErrorsFolder+"/classified.json")
	if old == nil {
		return nil, nil
	}
	var e telemetry.Errors
	if lossless.Decode(old, &e) == nil && e.Succeed(session) {
		if err := change(openErrors(b.store), func(d *telemetry.Errors) { d.Succeed(session) }, nil); err != nil {
			return nil, err
		}
	}
	for _, key := range keys {
		var e telemetry.Errors
		if lossless.Decode(old, &e) != nil || e.Recover(session, key, b.now()) == nil {
			continue // checked without the lock: most calls never failed
		}
		if err := b.store.Append(event.ToolRecovered, lossless.Record("session", session, "key", key)); err != nil {
			return were, err
		}
		err = change(openErrors(b.store), func(d *telemetry.Errors) {
			if was := d.Recover(session, key, b.now()); was != nil {
				were = append(were, *was)
			}
		}, nil)
		if err != nil {
			return were, err
		}
	}
	return were, nil
}

// Errors returns the classified errors.
func (b Book) Errors() (*telemetry.Errors, error) { return read(openErrors(b.store)) }

// Metrics returns the figures of past sessions.
func (b Book) Metrics() (*telemetry.Metrics, error) { return read(openMetrics(b.store)) }
