package durable

import (
	"fmt"
	"path/filepath"

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
	if d.alone == nil {
		return false
	}
	return !l.sealed || hasUnsigned(l.ahead)
}

func hasUnsigned(rows []event.Row) bool {
	for _, r := range rows {
		if r.Standing != event.Signed {
			return true
		}
	}
	return false
}

// replaySigned tells the document from signed rows alone; nil where there is no key.
func (d *document) replaySigned() (*replayed, error) {
	if d.alone == nil {
		return nil, nil
	}
	return d.replayOf(func(r event.Row) bool { return r.Standing == event.Signed })
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
	if err := d.search(was, r.offset); err != nil {
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

// keepCopy keeps what is in the document's place beside it, before it is undone.
func (d *document) keepCopy() (note string, err error) {
	text, err := readFile(d.store.fs, d.path, MaxSize)
	to := ""
	if err == nil {
		to, err = d.beside("unsigned")
	}
	if err == nil {
		err = replacement{fs: d.store.fs, path: to, perm: 0o600}.all(text)
	}
	if err != nil {
		return "", fmt.Errorf("keeping a state that is not warp's: %w", err)
	}
	return fmt.Sprintf("the changed version of state %q is kept as %q", d.path, filepath.Base(to)), nil
}
