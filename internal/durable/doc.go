package durable

import (
	"fmt"
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
}

// Doc is one document of a store: a snapshot file that anybody can read, and
// the journal rows that it can be rebuilt from.
type Doc[T any] struct {
	store *Store
	kind  Kind[T]
	path  string
}

// Open names a document by its path under the store's folder. Nothing is read yet.
func Open[T any](s *Store, path string, kind Kind[T]) *Doc[T] {
	return &Doc[T]{s, kind, filepath.Join(s.dir, filepath.FromSlash(path))}
}

// Path is where the snapshot is.
func (d *Doc[T]) Path() string { return d.path }

// View is a document as it was read.
type View[T any] struct {
	Doc   *T
	Tree  *lossless.Value // the document's text, the store's own member left out
	Since []event.Row     // what observers appended since the document was written
	Rev   int64
	// Foreign: the file is not what the journal last recorded. Another tool
	// wrote it, or a disk forgot what it had promised.
	Foreign bool
	Notes   []string // what had to be mended on the way, for the user
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
	l, err := d.load()
	if err == nil && len(l.ahead) == 0 {
		return l.view(), nil
	}
	if err != nil && !healable(err) && !(IsMissing(err) && d.cutShort()) {
		return View[T]{}, err
	}
	unlock, err := d.store.lock()
	if err != nil {
		return View[T]{}, err
	}
	defer unlock()
	l, err = d.heal()
	if err != nil {
		return View[T]{}, err
	}
	return l.view(), nil
}

// Update lets fn change the document under the store's lock, then makes the
// change durable. When fn returns an error nothing is written. When Update
// returns an error the change did not happen, unless the error says that it is
// in place or may be carried out; when it returns nil the change survives a
// power cut.
func (d *Doc[T]) Update(fn func(*Tx[T]) error) (notes []string, err error) {
	unlock, err := d.store.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	l, err := d.heal()
	if IsMissing(err) {
		l = &loaded[T]{}
		err = d.search(l, -1) // what observers saw before there was a document
	}
	if err != nil {
		return nil, err
	}
	tx := &Tx[T]{View: l.view()}
	before := tx.Doc
	if err := fn(tx); err != nil {
		return tx.Notes, err
	}
	switch {
	case tx.Doc == nil && before == nil:
		return tx.Notes, &MissingError{Path: d.path}
	case tx.Doc == nil:
		err = d.remove(l, tx)
	default:
		if tx.Doc != before {
			l.tree, l.here = nil, false
		}
		err = d.write(l, tx)
	}
	return tx.Notes, err
}

// Remove deletes the snapshot, whatever state it is in: a damaged one is set
// aside instead. The journal keeps what it knows.
func (d *Doc[T]) Remove() (notes []string, err error) {
	notes, err = d.Update(func(tx *Tx[T]) error {
		if tx.Doc == nil {
			return &MissingError{Path: d.path}
		}
		tx.Doc = nil
		return nil
	})
	if damaged(err) {
		unlock, lockErr := d.store.lock()
		if lockErr != nil {
			return notes, lockErr
		}
		defer unlock()
		aside, asideErr := d.setAside()
		if asideErr != nil {
			return notes, asideErr
		}
		if err := d.replacement().settle(); err != nil {
			notes = append(notes, fmt.Sprintf("syncing the folder of %q: %v", d.path, err))
		}
		return append(notes, fmt.Sprintf("the damaged state was set aside as %s", aside)), nil
	}
	return notes, err
}

// write makes tx.Doc the document. The snapshot's successor is written first:
// what can run out of space does so before the journal row that decides.
func (d *Doc[T]) write(l *loaded[T], tx *Tx[T]) error {
	if d.kind.Validate != nil {
		if err := d.kind.Validate(tx.Doc); err != nil {
			return fmt.Errorf("writing state %q: the new state is invalid, nothing was written: %w", d.path, err)
		}
	}
	tree := lossless.Encode(tx.Doc, l.tree)
	row := d.row(event.Document, tx, l.rev+1)
	if l.here {
		row.Patch = diff(l.tree, tree)
	} else {
		row.Full = tree
	}
	return d.commit(row, tree, l, tx)
}

func (d *Doc[T]) row(kind string, tx *Tx[T], rev int64) event.Row {
	r := event.Row{At: event.Stamp(d.store.now()), Kind: kind, Name: tx.name, PID: d.store.pid, Doc: d.kind.Name, Rev: rev}
	if tx.data != nil {
		r.Data = lossless.Encode(tx.data, nil)
	}
	return r
}

func (d *Doc[T]) commit(row event.Row, tree *lossless.Value, l *loaded[T], tx *Tx[T]) error {
	if err := d.store.makeFolders(); err != nil {
		return err
	}
	full := d.store.journal.full()
	if full {
		row.Patch, row.Full = nil, tree // a new segment begins with the whole document
	}
	a, err := d.store.journal.begin(full)
	if err != nil {
		return fmt.Errorf("writing state %q: %w", d.path, err)
	}
	defer a.close()
	text := spell(tree, row.Rev, a.offset)
	row.Sum = event.Sum(text)
	line := row.Line()
	if len(text) > MaxSize || len(line) > maxLine {
		return fmt.Errorf("writing state %q: nothing was changed: it would have %d bytes and its row %d, more than can be read back", d.path, len(text), len(line))
	}
	r := d.replacement()
	if err := r.prepare(text); err != nil {
		r.discard()
		return fmt.Errorf("writing state %q: nothing was changed: %w", d.path, err)
	}
	if err = a.write(line); err == nil {
		err = r.rename()
	}
	if err != nil {
		r.discard()
		return fmt.Errorf("writing state %q: %w", d.path, takenBack(a, err))
	}
	return d.settled(l, tx, r.settle())
}

// takenBack undoes a row whose change failed, and says how that went.
func takenBack(a *appending, err error) error {
	if undo := a.undo(); undo != nil {
		return fmt.Errorf("%w; the journal could not be taken back either (%v): the next command may carry the change out", err, undo)
	}
	return fmt.Errorf("nothing was changed: %w", err)
}

// settled judges the syncing of the folder, the last step of a change. The
// journal is synced by then. Where it knows what was there before, a power cut
// can only bring that back, and the journal carries it forward again: the
// change is durable, but the disk deserves a word. Anything else that came
// back would win over the journal.
func (d *Doc[T]) settled(l *loaded[T], tx *Tx[T], err error) error {
	switch {
	case err == nil:
		return nil
	case !l.known:
		return fmt.Errorf("writing state %q: the change is in place, but a power cut may undo it: %w", d.path, err)
	}
	tx.Notes = append(tx.Notes, fmt.Sprintf("syncing the folder of %q: %v (the journal has the change)", d.path, err))
	return nil
}

func (d *Doc[T]) replacement() replacement {
	return replacement{fs: d.store.fs, path: d.path, perm: 0o600}
}

func (d *Doc[T]) remove(l *loaded[T], tx *Tx[T]) error {
	if err := d.store.makeFolders(); err != nil {
		return err
	}
	a, err := d.store.journal.begin(false) // the row needs those before it
	if err != nil {
		return fmt.Errorf("removing state %q: %w", d.path, err)
	}
	defer a.close()
	if err = a.write(d.row(event.Removed, tx, l.rev+1).Line()); err == nil {
		err = d.store.fs.Remove(d.path)
	}
	if err != nil {
		return fmt.Errorf("removing state %q: %w", d.path, takenBack(a, err))
	}
	return d.settled(l, tx, d.replacement().settle())
}
