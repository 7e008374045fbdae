package durable

import (
	"errors"
	"path/filepath"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// MaxSize bounds a document: ours are far smaller, so a larger one is not ours.
const MaxSize = 16 << 20

// Kind describes one kind of document. The package that owns the document
// defines it.
type Kind[T any] struct {
	Name     string // in the journal
	Version  int    // the newest "version" that T understands; 0: it has none
	Validate func(*T) error
	// Alone tells that an engine is at the document as it is: until it says
	// otherwise only processes with the key change it, and what anything else
	// makes of it is undone. nil: any process may write it.
	Alone func(*T) bool
	// Discard is what sets a damaged document aside that nothing can rebuild, in words
	// for people; "": moving the file away does.
	Discard string
}

// Doc is one document of a store: a snapshot file that any program can read, and
// the journal rows that it can be rebuilt from. It only gives the document its
// type: programs that keep many kinds would carry all else once for each.
type Doc[T any] struct{ document }

// Open names a document by its path under the store's folder. Nothing is read yet.
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

// View is a document as it was read.
type View[T any] struct {
	Doc   *T
	Tree  *lossless.Value // the document's text, the store's own member left out
	Since []event.Row     // what observers appended since the document was written
	Rev   int64
	// Foreign: the file is not what the journal last recorded. Another tool
	// wrote it, or a disk forgot what it had promised.
	Foreign bool
	// Unsigned: no process with the key wrote what the file holds. What it claims
	// as proven is not. Never set without a key.
	Unsigned bool
	// Undone: something else has changed the file while an engine was at it. Doc is
	// what was signed last, and the next update writes that.
	Undone bool
	Notes  []string // what had to be repaired on the way, for the user
}

func (d *Doc[T]) view(l *loaded) View[T] {
	doc, _ := l.doc.(*T) // nil: there is none
	return View[T]{Doc: doc, Tree: l.tree, Since: l.since, Rev: l.rev, Foreign: doc != nil && !l.known && l.rev > 0,
		Unsigned: doc != nil && !l.sealed && d.signer != nil, Undone: l.undone, Notes: l.notes}
}

// Tx is a document inside an update. Setting Doc to another pointer replaces
// the document, setting it to nil removes it.
type Tx[T any] struct {
	View[T]
	name string
	data any
}

// Log says what the journal row of this update tells.
func (t *Tx[T]) Log(name string, data any) { t.name, t.data = name, data }

// Read returns the document. A damaged one is set aside and rebuilt from the
// journal first; one that a crash left behind its journal is brought up to it.
func (d *Doc[T]) Read() (View[T], error) {
	l, err := d.read()
	if err != nil {
		return View[T]{}, err
	}
	return d.view(l), nil
}

// Rebuild rewrites the document from the journal, also one that was removed.
func (d *Doc[T]) Rebuild() (View[T], error) {
	l, err := d.rebuild()
	if err != nil {
		return View[T]{}, err
	}
	return d.view(l), nil
}

// ErrUnchanged ends an update that has nothing to write: Update returns no error then.
var ErrUnchanged = errors.New("nothing has to be written")

// Update lets fn change the document under the store's lock, then makes the
// change durable. When fn returns an error nothing is written. When Update
// returns an error the change did not happen, unless the error says that it is
// in place or may be carried out; when it returns nil the change survives a
// power cut.
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
