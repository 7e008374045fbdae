// Package logbook stores the records of agents' sessions: the current session, its subagents and
// their results, its errors, its metrics, and backups of contexts about to be compacted. It knows
// where each document is and when to remove it; core/telemetry defines the contents.
//
// Several sessions may work in one project. The current one is the drive's owner or the newest;
// each of the others has its own file, and each removes only its own records when it ends.
package logbook

import (
	"time"

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
