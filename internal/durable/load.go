package durable

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// positionMember is the member that the store adds to a document: the revision, the offset of its
// row in the journal, and the signature.
const positionMember = "journal"

// loaded is a snapshot compared with the journal.
type loaded struct {
	doc   any             // a pointer to the Kind's type; nil if there is no document
	tree  *lossless.Value // without positionMember
	sum   string          // the file's checksum
	rev   int64
	known bool        // the journal has exactly this content under this revision
	here  bool        // and has it in the current segment, so a patch can follow
	ahead []event.Row // rows of this document that are not in the snapshot yet
	since []event.Row // rows of observers since then
	notes []string

	position *lossless.Value // positionMember as found in the file

	sealed bool // the signature is valid
	undone bool // a change by something without the key was ignored
	keep   bool // that change is still in the file: keep a copy
}

// load reads the snapshot and the journal rows after it. Another process may write at the same
// time: if the journal does not know the snapshot, load reads again until the file is unchanged,
// because otherwise the two do not belong together.
func (d *document) load() (*loaded, error) {
	for {
		l, err := d.readSnapshot()
		if err == nil {
			err = d.history.follow(l)
		}
		if err != nil || l.known {
			return l, err
		}
		text, err := d.in.read(d.path)
		if err == nil && event.Sum(text) == l.sum {
			return l, nil
		}
	}
}

// readSnapshot reads the document's file without the journal.
func (d *document) readSnapshot() (*loaded, error) {
	text, err := d.in.read(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &MissingError{Path: d.path}
	}
	if err != nil {
		return nil, err
	}
	return d.parse(text)
}

func (d *document) parse(text []byte) (*loaded, error) {
	p, err := texts.parse(d.path, text)
	if err != nil {
		return nil, err
	}
	l := &loaded{tree: p.tree, sum: p.sum, position: p.position}
	if l.doc, err = d.decode(l.tree); err != nil {
		return nil, err
	}
	l.sealed = d.isSealed(p)
	return l, nil
}

func (d *document) decode(tree *lossless.Value) (any, error) {
	bad := func(why error) error { return &DamagedError{Path: d.path, Why: why, healable: true} }
	if tree.Kind != lossless.Object {
		return nil, bad(fmt.Errorf("it must be an object, not %s", tree.Kind))
	}
	if n, ok := tree.Get("version").Int(); ok && d.version > 0 && n > int64(d.version) {
		return nil, &TooNewError{Path: d.path, Version: n, Known: d.version}
	}
	doc := d.fresh()
	if err := lossless.Decode(tree, doc); err != nil {
		return nil, bad(err)
	}
	if err := d.valid(doc); err != nil {
		return nil, bad(err)
	}
	return doc, nil
}

// readFile reads a regular file of bounded size.
func readFile(fsys FS, path string, limit int64) ([]byte, error) {
	info, err := fsys.Lstat(path) // before opening: opening a pipe would block for ever
	if err != nil {
		return nil, &readError{path, err}
	}
	if !info.Mode().IsRegular() {
		return nil, &DamagedError{Path: path, Why: fmt.Errorf("it is %s, not a file; move it away", modeName(info.Mode()))}
	}
	if fsys == (OS{}) {
		text, err := readRegular(path, noFollow, limit)
		if large := (*largeError)(nil); errors.As(err, &large) {
			return nil, tooLarge(path, large.size, limit)
		}
		if err != nil {
			return nil, &readError{path, err}
		}
		return text, nil
	}
	f, err := fsys.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, &readError{path, err}
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, &readError{path, err}
	}
	if info.Size() > limit {
		return nil, tooLarge(path, info.Size(), limit)
	}
	text := make([]byte, info.Size())
	if _, err := io.ReadFull(f, text); err != nil {
		return nil, &readError{path, err}
	}
	return text, nil
}

func tooLarge(path string, size, limit int64) error {
	return &DamagedError{Path: path, Why: fmt.Errorf("it has %d bytes; warp never writes more than %d", size, limit), healable: true}
}

func modeName(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a folder"
	}
	return "a special file"
}

// spell encodes a snapshot: the document with its position in the journal and its signature, if
// any. The journal row holds the checksum of exactly this text.
func spell(tree *lossless.Value, rev, offset int64, seal string) []byte {
	size := 8 << 10
	for _, m := range tree.Members {
		size += 160 * len(m.Value.Elems) // about the size of a history row
	}
	return append(lossless.AppendIndent(make([]byte, 0, size), tree.With(positionMember, position(rev, offset, seal))), '\n')
}

// position encodes positionMember.
func position(rev, offset int64, seal string) *lossless.Value {
	at := lossless.Record("rev", rev, "offset", offset)
	if seal != "" {
		at = at.With(sealMember, lossless.NewString(seal))
	}
	return at
}

// parsed is the parsed text of a document's file. It is never changed, so it can be shared.
type parsed struct {
	text           []byte
	tree, position *lossless.Value // the document, and its position in the journal
	sum            string
	sealer         Signer // the signer that verified it, if any
}

// mostTexts bounds the cache of parsed texts.
const mostTexts = 8

// texts caches the latest parsed or written texts by file. A process reads a document many times
// between two changes, and one with a long history is a hundred kilobytes.
var texts lastTexts

type lastTexts struct {
	mu sync.Mutex
	of map[string]*parsed
}

func (l *lastTexts) find(path string) *parsed {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.of[path]
}

func (l *lastTexts) remember(path string, p *parsed) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil || l.of[path] == nil && len(l.of) >= mostTexts {
		l.of = map[string]*parsed{}
	}
	l.of[path] = p
}

// parse parses the text of a file, unless the cache has it.
func (l *lastTexts) parse(path string, text []byte) (*parsed, error) {
	if p := l.find(path); p != nil && bytes.Equal(p.text, text) {
		return p, nil
	}
	tree, err := lossless.Parse(text)
	if err != nil {
		return nil, &DamagedError{Path: path, Why: err, healable: true}
	}
	p := &parsed{text: text, tree: tree.Without(positionMember), position: tree.Get(positionMember), sum: event.Sum(text)}
	l.remember(path, p)
	return p, nil
}

// isSealed reports whether a text was signed with the store's key.
func (d *document) isSealed(p *parsed) bool {
	by := d.signer
	if by != nil && p.sealer == by {
		return true
	}
	if !d.holdsSeal(p.text, p.position.Get(sealMember).Text()) {
		return false
	}
	known := *p
	known.sealer = by
	texts.remember(d.path, &known)
	return true
}
