package durable

import (
	"fmt"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// A document that an engine is at is changed by processes with the key alone.
// What anything else makes of it, in its file or by rows of the journal whose
// checksum is right, is undone by the next process with the key that looks: also
// after the engine was killed, since the document says that it was at work. When
// no engine is at it, what others have written is taken over.

// doubtful reports whether something else may have changed the document.
func (d *document) doubtful(l *loaded) bool {
	unsigned := func(r event.Row) bool { return r.Standing != event.Signed }
	return d.alone != nil && (!l.sealed || slices.ContainsFunc(l.ahead, unsigned))
}

// replaySigned tells the document from signed rows alone; nil where there is no key.
func (d *document) replaySigned() (*replayed, error) {
	if d.alone == nil {
		return nil, nil
	}
	return d.history.replay(func(r event.Row) bool { return r.Standing == event.Signed })
}

// engineAt reports whether an engine is at the document as recorded.
func (d *document) engineAt(r *replayed) bool {
	if r.removed {
		return false
	}
	doc, err := d.decode(r.tree)
	return err == nil && d.alone(doc)
}

// settleDoubt returns what was signed last where something else changed the
// document while an engine was at it, and takes the change over otherwise. It
// writes nothing: the next update does, which takes in what observers saw.
func (d *document) settleDoubt(l *loaded) (*loaded, error) {
	r, err := d.replaySigned()
	switch {
	case err != nil:
		return nil, err
	case r == nil || !d.engineAt(r):
		return d.bringUp(l)
	case len(l.ahead) == 0 && lossless.Equal(l.tree, r.tree): // a process without the key has repaired it
		return l, nil
	}
	was := &loaded{tree: r.tree, sum: r.sum, rev: r.rev}
	if was.doc, err = d.decode(r.tree); err != nil {
		return nil, err
	}
	if err := d.history.search(was, r.offset); err != nil {
		return nil, err
	}
	// The next row tells the document whole, behind whatever else the journal has.
	for _, row := range append(l.ahead, event.Row{Rev: l.rev}) {
		if row.Rev > was.rev && row.Rev-was.rev < farAhead {
			was.rev = row.Rev
		}
	}
	was.known, was.here, was.ahead, was.sealed, was.undone, was.keep = true, false, nil, true, true, !l.sealed
	was.notes = []string{fmt.Sprintf("something other than warp changed state %q while an engine used it: the change does not count", d.path)}
	return was, nil
}

// farAhead is a revision that no observer can have come to.
const farAhead = 1 << 20
