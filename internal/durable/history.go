package durable

import (
	"cmp"
	"fmt"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// history finds the rows of one document in the journal.
type history struct {
	journal *journal
	name    string // the document's kind
}

// follow reads the journal from the snapshot's row on.
func (h history) follow(l *loaded) error {
	pos := l.position
	rev, hasRev := pos.Get("rev").Int()
	offset, hasOffset := pos.Get("offset").Int()
	if !hasRev || !hasOffset || rev < 0 || rev > maxRev {
		return h.search(l, -1) // another program wrote the snapshot
	}
	l.rev = rev
	rows, err := h.journal.from(offset)
	if err != nil {
		return err
	}
	if len(rows) == 0 || rows[0].Doc != h.name || rows[0].Rev != rev {
		return h.search(l, offset) // a new segment, or the journal was removed
	}
	l.known = rows[0].Sum == l.sum
	l.here = l.known
	for _, r := range rows[1:] {
		if r.Doc == h.name && l.known {
			l.ahead = append(l.ahead, r)
		}
	}
	l.since = slices.DeleteFunc(rows[1:], func(r event.Row) bool { return r.Doc != "" })
	return nil
}

// lookBack is how many of the newest segments are searched for a snapshot's row.
const lookBack = 3

// maxRev bounds the revision that a snapshot can claim.
const maxRev = 1 << 53

// search finds the snapshot's row in older segments: a rotation moved it, or is moving it right
// now. If there is no such row, the snapshot overrides the journal.
func (h history) search(l *loaded, offset int64) error {
	segments, err := h.journal.segments()
	if err != nil {
		return err
	}
	rev := l.rev
	for _, path := range segments[max(0, len(segments)-lookBack):] {
		lost := false // the snapshot's row is missing, but earlier rows are there
		_, _, err := h.journal.scan(path, func(r event.Row) bool {
			switch {
			case r.Doc == "" && lost && r.Offset < offset: // the document already includes it
			case r.Doc == "":
				l.since = append(l.since, r)
			case r.Doc != h.name:
			case r.Rev == rev && r.Offset == offset && r.Sum == l.sum:
				l.known, l.rev, l.ahead, l.since = true, rev, nil, nil
			case l.known:
				l.ahead = append(l.ahead, r)
			default:
				l.since, l.rev, lost = nil, max(l.rev, r.Rev), r.Rev < rev
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// replayed is a document rebuilt from the journal.
type replayed struct {
	tree    *lossless.Value
	rev     int64
	offset  int64
	sum     string
	seal    string
	removed bool
	verify  bool   // check the checksum of every step
	gap     string // why later rows could not be used
}

// holds reports whether the document matches its row's checksum.
func (r *replayed) holds() bool { return event.Sum(spell(r.tree, r.rev, r.offset, r.seal)) == r.sum }

// at moves to the document of a row, unless verification fails.
func (r *replayed) at(row event.Row, tree *lossless.Value) bool {
	next := replayed{tree: tree, rev: row.Rev, offset: row.Offset, sum: row.Sum, seal: row.Seal, verify: r.verify}
	if r.verify && !next.holds() {
		return false
	}
	*r = next
	return true
}

// take applies one row to the document. After a gap only a row with the whole document helps.
func (r *replayed) take(row event.Row) {
	switch {
	case row.Kind == event.Removed:
		r.removed = true
		return
	case row.Full != nil && r.at(row, row.Full):
		return
	case r.gap != "":
		return
	case row.Rev != r.rev+1:
		r.gap = fmt.Sprintf("rows after revision %d are missing from the journal", r.rev)
		return
	}
	next, err := apply(r.tree, row.Patch)
	if err != nil || !r.at(row, next) {
		r.gap = fmt.Sprintf("the journal's row of revision %d cannot be used", row.Rev)
	}
}

// replay rebuilds the document from the wanted rows.
func (h history) replay(wanted func(event.Row) bool) (*replayed, error) {
	r, err := h.replayWith(false, wanted)
	if err == nil && r != nil && !r.holds() {
		return h.replayWith(true, wanted)
	}
	return r, err
}

func (h history) replayWith(verify bool, wanted func(event.Row) bool) (*replayed, error) {
	segments, err := h.journal.segments()
	if err != nil {
		return nil, err
	}
	var newer replayed // removals and gaps from newer segments that lack the document itself
	for _, path := range slices.Backward(segments) {
		r := &replayed{verify: verify}
		_, _, err := h.journal.scan(path, func(row event.Row) bool {
			if row.Doc == h.name && wanted(row) {
				r.take(row)
			}
			return true
		})
		if err != nil {
			return nil, err
		}
		newer.removed = newer.removed || r.removed
		newer.gap = cmp.Or(newer.gap, r.gap)
		if r.tree != nil {
			r.removed, r.gap = newer.removed, newer.gap
			return r, nil
		}
	}
	return nil, nil
}
