package durable

import (
	"errors"
	"path/filepath"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// MaxSize bounds a document. Ours are far smaller, so warp did not write a larger one.
const MaxSize = 16 << 20

// Kind describes one kind of document. The package that owns the document defines it.
type Kind[T any] struct {
	Name     string // the kind's name in the journal
	Version  int    // the newest "version" that T understands; 0 if documents carry no version
	Validate func(*T) error
	// Alone reports whether an engine is working on the document. While it is, only processes with
	// the key may change the document; changes by anything else are undone. If nil, any process may
	// write it.
	Alone func(*T) bool
	// Discard tells the user how to get rid of a damaged document that cannot be rebuilt. Empty
	// means moving the file away is enough.
	Discard string
}

// Doc is one document of a store: a snapshot file that any program can read, and the journal rows
// it can be rebuilt from. Doc only adds the type; the code is in document, so that a program with
// many kinds does not compile it once per kind.
type Doc[T any] struct{ document }

// Open returns the document at a path under the store's folder. It reads nothing yet.
func Open[T any](s *Store, path string, kind Kind[T]) *Doc[T] {
	d := &Doc[T]{document{
		snapshotFile: snapshotFile{s.folder, filepath.Join(s.dir, filepath.FromSlash(path))},
		seals:        seals{s.journal.signer, kind.Name}, history: history{s.journal, kind.Name},
		store: s, version: kind.Version, discard: kind.Discard,
		fresh: func() any { return new(T) },
		valid: func(doc any) error {
			if kind.Validate == nil {
				return nil
			}
			return kind.Validate(doc.(*T))
		},
	}}
	if kind.Alone != nil && s.journal.signer != nil {
		d.alone = func(doc any) bool { return kind.Alone(doc.(*T)) }
	}
	return d
}

// View is one reading of a document.
type View[T any] struct {
	Doc   *T
	Tree  *lossless.Value // the document's text without the member that the store adds
	Since []event.Row     // rows that observers appended since the document was written
	Rev   int64
	// Foreign means that the file differs from what the journal last recorded: another tool wrote
	// it, or the disk lost a synced write.
	Foreign bool
	// Unsigned means that no process with the key wrote the file's content, so nothing it claims is
	// proven. Never set without a key.
	Unsigned bool
	// Undone means that something changed the file while an engine was working on it. Doc is the
	// last signed version, and the next update writes it back.
	Undone bool
	Notes  []string // repairs made while reading, for the user
}

func (d *Doc[T]) view(l *loaded) View[T] {
	doc, _ := l.doc.(*T) // nil if there is no document
	return View[T]{Doc: doc, Tree: l.tree, Since: l.since, Rev: l.rev, Foreign: doc != nil && !l.known && l.rev > 0,
		Unsigned: doc != nil && !l.sealed && d.signer != nil, Undone: l.undone, Notes: l.notes}
}

// Tx is a document inside an update. Setting Doc to another pointer replaces the document; setting
// it to nil removes it.
type Tx[T any] struct {
	View[T]
	name string
	data any
}

// Log sets the name and the data of this update's journal row.
func (t *Tx[T]) Log(name string, data any) { t.name, t.data = name, data }

// Read returns the document. It first sets a damaged document aside and rebuilds it from the
// journal, and applies journal rows that a crash kept out of the snapshot.
func (d *Doc[T]) Read() (View[T], error) {
	l, err := d.read()
	if err != nil {
		return View[T]{}, err
	}
	return d.view(l), nil
}

// Rebuild rewrites the document from the journal, even if it was removed.
func (d *Doc[T]) Rebuild() (View[T], error) {
	l, err := d.rebuild()
	if err != nil {
		return View[T]{}, err
	}
	return d.view(l), nil
}

// ErrUnchanged ends an update that has nothing to write; Update then returns no error.
var ErrUnchanged = errors.New("nothing has to be written")

// Update lets fn change the document under the store's lock, then makes the change durable. If fn
// returns an error, nothing is written. If Update returns an error, the change did not happen,
// unless the error says that it is in place or may still be applied. If Update returns nil, the
// change survives a power cut.
func (d *Doc[T]) Update(fn func(*Tx[T]) error) (notes []string, err error) {
	notes, err = d.update(func(l *loaded, c *change) error {
		tx := &Tx[T]{View: d.view(l)}
		before := tx.Doc
		err := fn(tx)
		c.notes, c.name, c.data = tx.Notes, tx.name, tx.data
		if tx.Doc != nil {
			c.doc, c.replaced = tx.Doc, tx.Doc != before
		}
		return err
	})
	if errors.Is(err, ErrUnchanged) {
		err = nil
	}
	return notes, err
}
