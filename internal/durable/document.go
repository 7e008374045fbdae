package durable

import (
	"fmt"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// document is the untyped part of a Doc.
type document struct {
	snapshotFile
	seals
	history history
	store   *Store
	version int
	discard string     // how to get rid of a damaged one; "" means moving it away
	fresh   func() any // returns a new, empty document
	valid   func(any) error
	alone   func(any) bool // reports whether an engine is working on it; nil if any process may write it
}

// change is what an update writes.
type change struct {
	doc      any // nil removes the document
	replaced bool
	name     string
	data     any
	notes    []string
}

func (d *document) read() (*loaded, error) {
	l, err := d.load()
	if err == nil && len(l.ahead) == 0 && !d.doubtful(l) {
		return l, nil
	}
	if err != nil && !healable(err) && !(IsMissing(err) && d.cutShort()) {
		return nil, err
	}
	unlock, err := d.store.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	return d.heal()
}

func (d *document) update(fn func(*loaded, *change) error) (notes []string, err error) {
	unlock, err := d.store.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	l, err := d.heal()
	if IsMissing(err) {
		l = &loaded{}
		err = d.history.search(l, -1) // rows that observers added before the document existed
	}
	if err != nil {
		return nil, err
	}
	c := &change{}
	if err := fn(l, c); err != nil {
		return c.notes, err
	}
	if l.keep {
		note, err := d.keepCopy(d.store.now())
		if err != nil {
			return c.notes, err
		}
		c.notes = append(c.notes, note)
	}
	switch {
	case c.doc == nil && l.doc == nil:
		return c.notes, &MissingError{Path: d.path}
	case c.doc == nil:
		err = d.remove(l, c)
	default:
		if c.replaced {
			l.tree, l.here = nil, false
		}
		err = d.write(l, c)
	}
	return c.notes, err
}

// Remove deletes the snapshot, or sets it aside if it is damaged. The journal keeps its rows.
func (d *document) Remove() (notes []string, err error) {
	notes, err = d.update(func(l *loaded, c *change) error {
		c.notes = l.notes
		if l.doc == nil {
			return &MissingError{Path: d.path}
		}
		return nil
	})
	if !damaged(err) {
		return notes, err
	}
	unlock, err := d.store.lock()
	if err != nil {
		return notes, err
	}
	defer unlock()
	aside, err := d.setAside(d.store.now())
	if err != nil {
		return notes, err
	}
	if err := d.replacement().settle(); err != nil {
		notes = append(notes, fmt.Sprintf("syncing the folder of %q: %v", d.path, err))
	}
	return append(notes, fmt.Sprintf("the damaged state was set aside as %s", aside)), nil
}

// write makes c.doc the document. It writes the new snapshot before the journal row that commits
// the change, so that a full disk fails before the commit.
func (d *document) write(l *loaded, c *change) error {
	if err := d.valid(c.doc); err != nil {
		return fmt.Errorf("writing state %q: the new state is invalid, nothing was written: %w", d.path, err)
	}
	tree := lossless.Encode(c.doc, l.tree)
	row := d.row(event.Document, c, l.rev+1)
	if l.here && (l.sealed || d.signer == nil) { // a signed row must not build on unsigned content
		row.Patch = diff(l.tree, tree)
	} else {
		row.Full = tree
	}
	return d.commit(row, tree, l, c)
}

func (d *document) row(kind string, c *change, rev int64) event.Row {
	r := event.Row{At: event.Stamp(d.store.now()), Kind: kind, Name: c.name, PID: d.store.pid, Doc: d.name, Rev: rev}
	if c.data != nil {
		r.Data = lossless.Encode(c.data, nil)
	}
	return r
}

func (d *document) commit(row event.Row, tree *lossless.Value, l *loaded, c *change) error {
	if err := d.store.makeFolders(); err != nil {
		return err
	}
	if err := d.store.makeParent(d.path); err != nil {
		return err
	}
	full := d.store.journal.size() >= d.store.journal.limit
	if full {
		row.Patch, row.Full = nil, tree // a new segment begins with the whole document
	}
	a, err := d.store.journal.begin(full)
	if err != nil {
		return fmt.Errorf("writing state %q: %w", d.path, err)
	}
	defer a.close()
	text, seal := d.sealed(tree, row.Rev, a.offset)
	row.Sum, row.Seal = event.Sum(text), seal
	line, err := a.spell(row)
	if err != nil {
		return fmt.Errorf("writing state %q: nothing was changed: %w", d.path, err)
	}
	if len(text) > MaxSize || len(line) > maxLine {
		return fmt.Errorf("writing state %q: nothing was changed: it would have %d bytes and its row %d, more than can be read back", d.path, len(text), len(line))
	}
	r := d.replacement()
	if err := r.prepare(text); err != nil {
		r.discard()
		return fmt.Errorf("writing state %q: nothing was changed: %w", d.path, err)
	}
	if err = a.write(line, true); err == nil {
		err = r.rename()
	}
	if err != nil {
		r.discard()
		return fmt.Errorf("writing state %q: %w", d.path, takenBack(a, err))
	}
	texts.remember(d.path, &parsed{text: text, tree: tree, position: position(row.Rev, a.offset, seal), sum: row.Sum, sealer: d.signer})
	d.store.journal.setMark(a.mac)
	return settled(d.path, l, c, r.settle())
}

// takenBack undoes the row of a failed change and adds the outcome to the error.
func takenBack(a *appending, err error) error {
	if undo := a.undo(); undo != nil {
		return fmt.Errorf("%w; the journal row could not be removed either (%v): the next command may apply the change", err, undo)
	}
	return fmt.Errorf("nothing was changed: %w", err)
}

// settled handles an error from syncing the folder, the last step of a change, after the journal
// was synced. If the journal knows the previous snapshot, a power cut can only bring that one back,
// and the journal rows are applied to it again. The change is durable then and the user just gets a
// note. Any other old snapshot would override the journal.
func settled(path string, l *loaded, c *change, err error) error {
	switch {
	case err == nil:
		return nil
	case !l.known:
		return fmt.Errorf("writing state %q: the change is in place, but a power cut may undo it: %w", path, err)
	}
	c.notes = append(c.notes, fmt.Sprintf("syncing the folder of %q: %v (the journal has the change)", path, err))
	return nil
}

func (d *document) remove(l *loaded, c *change) error {
	if err := d.store.makeFolders(); err != nil {
		return err
	}
	a, err := d.store.journal.begin(false) // no new segment: the row needs those before it
	if err != nil {
		return fmt.Errorf("removing state %q: %w", d.path, err)
	}
	defer a.close()
	line, err := a.spell(d.row(event.Removed, c, l.rev+1))
	if err != nil {
		return fmt.Errorf("removing state %q: nothing was changed: %w", d.path, err)
	}
	if err = a.write(line, true); err == nil {
		err = d.store.fs.Remove(d.path)
	}
	if err != nil {
		return fmt.Errorf("removing state %q: %w", d.path, takenBack(a, err))
	}
	d.store.journal.setMark(a.mac)
	return settled(d.path, l, c, d.replacement().settle())
}
