package durable

import (
	"fmt"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

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
