package durable

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// heal returns the document after repairing a snapshot that is damaged or behind the journal. The
// caller must hold the store's lock.
func (d *document) heal() (*loaded, error) {
	l, err := d.load()
	switch {
	case err == nil && d.doubtful(l):
		return d.settleDoubt(l)
	case err == nil:
		return d.bringUp(l)
	case healable(err):
		return d.rebuildDamaged(err)
	case IsMissing(err) && d.cutShort():
		return d.finish(err)
	}
	return nil, err
}

// bringUp applies the rows that a crash between the journal and the snapshot left out.
func (d *document) bringUp(l *loaded) (*loaded, error) {
	if len(l.ahead) == 0 {
		return l, nil
	}
	r := &replayed{tree: l.tree, rev: l.rev, verify: true}
	for _, row := range l.ahead {
		r.take(row)
	}
	if r.removed {
		if err := d.store.fs.Remove(d.path); err != nil {
			return nil, fmt.Errorf("finishing an interrupted removal: %w", err)
		}
		return nil, &MissingError{Path: d.path}
	}
	return d.restore(r, fmt.Sprintf("state %q was behind its journal (a crash): brought up to revision %d", d.path, r.rev), false)
}

// rebuildDamaged sets a damaged snapshot aside and rewrites it from the journal. If the journal has
// nothing, it touches nothing.
func (d *document) rebuildDamaged(cause error) (*loaded, error) {
	r, err := d.replay()
	if err != nil {
		return nil, errors.Join(cause, err)
	}
	if r == nil || r.removed { // for most documents the next write creates a new one
		way := cmp.Or(d.discard, fmt.Sprintf("move it away, and a new one is made: mv '%s' '%s.damaged'", d.path, d.path))
		return nil, fmt.Errorf("%w (the journal has nothing to rebuild it from; %s)", cause, way)
	}
	return d.restore(r, fmt.Sprintf("%v; rebuilt from the journal at revision %d", cause, r.rev), true)
}

// finish completes a write that was interrupted before its file was in place. Only what the
// journal has counts: nothing else was acknowledged.
func (d *document) finish(cause error) (*loaded, error) {
	r, err := d.replay()
	if err != nil {
		return nil, err
	}
	if r == nil || r.removed {
		return nil, cause
	}
	return d.restore(r, fmt.Sprintf("writing state %q was interrupted (a crash): finished from the journal at revision %d", d.path, r.rev), false)
}

// rebuild rewrites the document from the journal, even if it was removed.
func (d *document) rebuild() (*loaded, error) {
	unlock, err := d.store.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	r, err := d.replay()
	if err != nil {
		return nil, err
	}
	if r == nil {
		return nil, fmt.Errorf("rebuilding state %q: the journal has no row of it", d.path)
	}
	_, err = d.store.fs.Lstat(d.path)
	if err != nil && !isNotExist(err) {
		return nil, fmt.Errorf("rebuilding state: %w", err)
	}
	return d.restore(r, fmt.Sprintf("state %q was rebuilt from the journal at revision %d", d.path, r.rev), err == nil)
}

// restore writes a replayed document at the position of its last row, so it needs no new row. After
// a gap or a removal it has no position, and the next update writes the whole document. restore
// prepares the new file before it sets the old one aside, and leaves it in place on failure, so
// that the next command sees that there is something to finish.
func (d *document) restore(r *replayed, note string, aside bool) (*loaded, error) {
	if _, err := d.decode(r.tree); err != nil {
		return nil, fmt.Errorf("repairing state from the journal: %w", err)
	}
	text := spell(r.tree, r.rev, r.offset, r.seal)
	if r.gap != "" || r.removed {
		text = append(lossless.AppendIndent(nil, r.tree), '\n')
	}
	if r.gap != "" {
		note += "; " + r.gap
	}
	next := d.replacement()
	err := d.store.journal.sync()
	if err == nil {
		err = next.prepare(text)
	}
	if err != nil {
		return nil, fmt.Errorf("repairing state: %w", err)
	}
	if aside {
		name, err := d.setAside(d.store.now())
		if err != nil {
			return nil, err
		}
		note += fmt.Sprintf("; the old content is set aside as %q", name)
	}
	if err = next.rename(); err == nil {
		err = next.settle()
	}
	if err != nil {
		return nil, fmt.Errorf("repairing state: %w", err)
	}
	notes := []string{note}
	row := event.Row{At: event.Stamp(d.store.now()), Kind: event.Recovered, PID: d.store.pid, Data: lossless.Record("note", note)}
	if err := d.store.journal.add([]event.Row{row}, false); err != nil {
		notes = append(notes, err.Error())
	}
	l, err := d.load()
	if err == nil && d.doubtful(l) {
		l, err = d.settleDoubt(l)
	}
	if err != nil {
		return nil, err
	}
	l.notes = append(notes, l.notes...)
	return l, nil
}

// replay rebuilds the document from the newest segment that has it, or returns nil. One segment is
// enough, because each starts with the whole document. The last row's checksum vouches for all rows
// before it; if it does not match, each row is checked to find the last good one. While an engine
// is working on the document only signed rows count.
func (d *document) replay() (*replayed, error) {
	if r, err := d.replaySigned(); err != nil || r != nil && d.engineAt(r) {
		return r, err
	}
	return d.history.replay(func(event.Row) bool { return true })
}

// Known reports whether the journal can rebuild the document, and whether it was removed on
// purpose.
func (d *document) Known() (known, removed bool) {
	r, err := d.replay()
	return err == nil && r != nil, r != nil && r.removed
}

// While an engine works on a document, only processes with the key may change it. Any other change,
// in its file or as journal rows with a correct checksum, is undone by the next process with the
// key that reads it. That holds after the engine was killed too, because the document records that
// it was working. When no engine is working, changes by others are accepted.

// doubtful reports whether something without the key may have changed the document.
func (d *document) doubtful(l *loaded) bool {
	unsigned := func(r event.Row) bool { return r.Standing != event.Signed }
	return d.alone != nil && (!l.sealed || slices.ContainsFunc(l.ahead, unsigned))
}

// replaySigned rebuilds the document from signed rows alone. It returns nil without a key.
func (d *document) replaySigned() (*replayed, error) {
	if d.alone == nil {
		return nil, nil
	}
	return d.history.replay(func(r event.Row) bool { return r.Standing == event.Signed })
}

// engineAt reports whether an engine is working on the replayed document.
func (d *document) engineAt(r *replayed) bool {
	if r.removed {
		return false
	}
	doc, err := d.decode(r.tree)
	return err == nil && d.alone(doc)
}

// settleDoubt returns the last signed version if something else changed the document while an
// engine was working on it, and accepts the change otherwise. It writes nothing: the next update
// does, and folds in the observers' rows.
func (d *document) settleDoubt(l *loaded) (*loaded, error) {
	r, err := d.replaySigned()
	switch {
	case err != nil:
		return nil, err
	case r == nil || !d.engineAt(r):
		return d.bringUp(l)
	case len(l.ahead) == 0 && lossless.Equal(l.tree, r.tree): // a process without the key repaired it
		return l, nil
	}
	was := &loaded{tree: r.tree, sum: r.sum, rev: r.rev}
	if was.doc, err = d.decode(r.tree); err != nil {
		return nil, err
	}
	if err := d.history.search(was, r.offset); err != nil {
		return nil, err
	}
	// The next row holds the whole document, with a revision above all others in the journal.
	for _, row := range append(l.ahead, event.Row{Rev: l.rev}) {
		if row.Rev > was.rev && row.Rev-was.rev < farAhead {
			was.rev = row.Rev
		}
	}
	was.known, was.here, was.ahead, was.sealed, was.undone, was.keep = true, false, nil, true, true, !l.sealed
	was.notes = []string{fmt.Sprintf("something other than warp changed state %q while an engine used it: the change does not count", d.path)}
	return was, nil
}

// farAhead is a jump in revisions too large to be real.
const farAhead = 1 << 20
