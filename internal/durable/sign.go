package durable

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// Signer holds a key that nothing in the project can read. Each signed row includes the signature
// of the signed row before it, so that rewritten, removed and moved rows are detected. Unsigned
// rows of observers may come between them.
type Signer interface {
	// Sign signs a text for one purpose and returns event.MacLength hexadecimal digits.
	Sign(purpose string, text []byte) string
}

const (
	rowPurpose      = "row"
	snapshotPurpose = "snapshot "
	notePurpose     = "note "
	sealMember      = "mac" // a member of positionMember
)

// noSeal is the placeholder for the signature while a snapshot is signed; it has the same length.
const noSeal = "00000000000000000000000000000000"

// Signs reports whether the store has a key.
func (s *Store) Signs() bool { return s.journal.signer != nil }

// Seal signs a note that an engine keeps in a separate file. It returns "" without a key.
func (s *Store) Seal(about string, text []byte) string {
	if s.journal.signer == nil {
		return ""
	}
	return s.journal.signer.Sign(notePurpose+about, text)
}

// tail is the end of the journal after this process last wrote to it.
type tail struct {
	size int64
	mac  string // the last signed row's signature; "" if there is none
}

// check checks the signature of a line, but not its link to the signed row before it.
func (j *journal) check(line string) event.Standing {
	if j.signer == nil {
		return event.Unchecked
	}
	body, mac, ok := event.Signature(line)
	switch {
	case !ok:
		return event.Unsigned
	case j.signer.Sign(rowPurpose, []byte(body)) != mac:
		return event.Forged
	}
	return event.Signed
}

// chain wraps fn to check that each signed row names the signed row before it.
func (j *journal) chain(fn func(event.Row) bool) func(event.Row) bool {
	if j.signer == nil {
		return fn
	}
	last := ""
	return func(r event.Row) bool {
		if r.Standing == event.Signed {
			if r.After != last {
				r.Standing = event.Misplaced
			}
			last = r.Mac
		}
		return fn(r)
	}
}

// spell encodes rows for the end of the journal, signed if there is a key.
func (a *appending) spell(rows ...event.Row) (lines []byte, err error) {
	if a.j.signer == nil {
		for _, r := range rows {
			lines = append(lines, r.Line()...)
		}
		return lines, nil
	}
	if a.mac, err = a.lastSigned(); err != nil {
		return nil, err
	}
	sign := func(text []byte) string { return a.j.signer.Sign(rowPurpose, text) }
	for _, r := range rows {
		var line []byte
		r.After = a.mac
		line, a.mac = r.SignedLine(sign)
		lines = append(lines, line...)
	}
	return lines, nil
}

// written remembers the journal's new end.
func (a *appending) written(length int64) {
	if a.j.signer != nil {
		a.j.tail.Store(&tail{a.size + length, a.mac})
	}
}

// lastSigned returns the signature of the last signed row, "" if there is none.
func (a *appending) lastSigned() (string, error) {
	if t := a.j.tail.Load(); t != nil && t.size == a.size {
		return t.mac, nil
	}
	mac, err := a.j.lastIn(a.f, a.size)
	if mac != "" || err != nil {
		return mac, err
	}
	segments, err := a.j.segments()
	if err != nil {
		return "", err
	}
	for _, path := range slices.Backward(segments) {
		if path == a.j.path {
			continue
		}
		if mac, err := a.j.lastOf(path); mac != "" || err != nil {
			return mac, err
		}
	}
	return "", nil
}

func (j *journal) lastOf(path string) (string, error) {
	f, err := j.fs.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return "", fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("reading the journal: %w", err)
	}
	return j.lastIn(f, info.Size())
}

// nearEnd is how many bytes from the end the first search for a signed row covers.
const nearEnd = 8 << 10

// lastIn returns the signature of a segment's last signed row, searching from the end.
func (j *journal) lastIn(f File, size int64) (string, error) {
	for near := int64(nearEnd); size > 0; near *= 8 {
		near = min(near, j.largest())
		from := max(0, size-near)
		text := make([]byte, size-from)
		if _, err := f.ReadAt(text, from); err != nil {
			return "", fmt.Errorf("reading the journal %q: %w", filepath.Base(j.path), err)
		}
		lines := bytes.Split(text, []byte{'\n'})
		if from > 0 {
			lines = lines[1:] // the first line is cut off
		}
		for _, line := range slices.Backward(lines) {
			if s := string(line); event.Intact(s) && j.check(s) == event.Signed {
				_, mac, _ := event.Signature(s)
				return mac, nil
			}
		}
		if from == 0 || near == j.largest() {
			break
		}
	}
	return "", nil
}

// seals signs the documents of one kind and checks their signatures.
type seals struct {
	signer Signer // nil if nothing is signed
	name   string // the kind's name
}

// sealed encodes a snapshot, signed if there is a key.
func (s seals) sealed(tree *lossless.Value, rev, offset int64) (text []byte, seal string) {
	if s.signer == nil {
		return spell(tree, rev, offset, ""), ""
	}
	text = spell(tree, rev, offset, noSeal)
	seal = s.signer.Sign(snapshotPurpose+s.name, text)
	copy(text[bytes.LastIndex(text, []byte(noSeal)):], seal) // the store's member comes last
	return text, seal
}

// holdsSeal reports whether a snapshot is exactly the text that was signed.
func (s seals) holdsSeal(text []byte, seal string) bool {
	if s.signer == nil || len(seal) != event.MacLength {
		return false
	}
	at := bytes.LastIndex(text, []byte(seal))
	if at < 0 {
		return false
	}
	was := bytes.Clone(text)
	copy(was[at:], noSeal)
	return s.signer.Sign(snapshotPurpose+s.name, was) == seal
}

// Seal signs a separate copy of the document, such as a checkpoint: put in the document's place, it
// counts as signed. Without a key the copy is unsigned.
func (s seals) Seal(tree *lossless.Value) []byte {
	spelled := func(tree *lossless.Value) []byte { return append(lossless.AppendIndent(nil, tree), '\n') }
	tree = tree.Without(positionMember)
	if s.signer == nil {
		return spelled(tree)
	}
	text := spelled(tree.With(positionMember, lossless.Record(sealMember, noSeal)))
	copy(text[bytes.LastIndex(text, []byte(noSeal)):], s.signer.Sign(snapshotPurpose+s.name, text))
	return text
}

// Sealed reports whether text is a copy signed by Seal, or the signed document itself.
func (s seals) Sealed(text []byte) bool {
	tree, err := lossless.Parse(text)
	return err == nil && s.holdsSeal(text, tree.Get(positionMember).Get(sealMember).Text())
}
