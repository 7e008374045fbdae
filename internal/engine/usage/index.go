package usage

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"warp/internal/core/tokens"
	"warp/internal/durable"
)

// Index is what the transcripts of one folder contain: every message once, and how far each file
// was read. It is a cache: without it everything is read again. It keeps the messages of deleted
// files, since their tokens were spent.
type Index struct {
	files    map[string]file // by path in the folder
	names    []string        // of sessions and models
	byName   map[string]uint32
	messages []message
	byKey    map[uint64]uint32
}

// file is how far a transcript was read.
type file struct {
	Offset int64
	Head   uint64 // fingerprint of its beginning, up to the offset
}

// message is a message of the index, 56 bytes large.
type message struct {
	Key            uint64
	At             int64
	Session, Model uint32
	tokens.Tokens
}

func newIndex() *Index {
	return &Index{files: map[string]file{}, byName: map[string]uint32{}, byKey: map[uint64]uint32{}}
}

// Messages calls fn with every message, in the order found.
func (x *Index) Messages(fn func(tokens.Message)) {
	for _, m := range x.messages {
		fn(tokens.Message{Key: m.Key, At: m.At, Session: x.names[m.Session], Model: x.names[m.Model], Tokens: m.Tokens})
	}
}

func (x *Index) name(s string) uint32 {
	n, ok := x.byName[s]
	if !ok {
		n = uint32(len(x.names))
		x.names = append(x.names, s)
		x.byName[s] = n
	}
	return n
}

// take records a line's message. A known message has used what its largest line says, and stays
// with the session that had it first.
func (x *Index) take(m tokens.Message) {
	if i, known := x.byKey[m.Key]; known {
		x.messages[i].Tokens = x.messages[i].Tokens.Most(m.Tokens)
		return
	}
	x.byKey[m.Key] = uint32(len(x.messages))
	x.messages = append(x.messages, message{m.Key, m.At, x.name(m.Session), x.name(m.Model), m.Tokens})
}

// magic starts an index; another format has another one.
const magic = "warp usage 1\n"

// loadIndex reads an index. A missing or unreadable one is empty: it is rebuilt.
func loadIndex(path string) *Index {
	f, err := durable.OpenPlain(path)
	if err != nil {
		return newIndex()
	}
	defer f.Close()
	x := newIndex()
	if err := x.read(bufio.NewReaderSize(f, 1<<16)); err != nil {
		return newIndex()
	}
	return x
}

var errFormat = errors.New("the index of transcripts is damaged")

func (x *Index) read(r *bufio.Reader) error {
	d := decoder{r: r}
	if d.text(len(magic)) != magic {
		return errFormat
	}
	for range d.count() {
		path := d.text(d.count())
		x.files[path] = file{int64(d.number()), d.number()}
	}
	for range d.count() {
		x.name(d.text(d.count()))
	}
	n := d.count()
	x.messages, x.byKey = make([]message, 0, min(n, 1<<20)), make(map[uint64]uint32, min(n, 1<<20))
	for range n {
		m := message{Key: d.number(), At: int64(d.number()), Session: uint32(d.number()), Model: uint32(d.number())}
		for _, n := range []*int64{&m.Input, &m.Output, &m.CacheRead, &m.CacheWrite} {
			*n = int64(d.number())
		}
		if d.err != nil || int(m.Session) >= len(x.names) || int(m.Model) >= len(x.names) {
			return errFormat
		}
		x.byKey[m.Key] = uint32(len(x.messages))
		x.messages = append(x.messages, m)
	}
	if d.err == nil {
		if _, err := r.ReadByte(); !errors.Is(err, io.EOF) {
			return errFormat
		}
	}
	return d.err
}

type decoder struct {
	r   *bufio.Reader
	err error
}

func (d *decoder) number() (n uint64) {
	if d.err == nil {
		n, d.err = binary.ReadUvarint(d.r)
	}
	return n
}

// count reads a number of following items, each at least one byte long.
func (d *decoder) count() int {
	n := d.number()
	if n > 1<<31 {
		d.err = errFormat
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

func (d *decoder) text(n int) string {
	if n > 1<<16 {
		d.err = errFormat
	}
	if d.err != nil {
		return ""
	}
	b := make([]byte, n)
	_, d.err = io.ReadFull(d.r, b)
	return string(b)
}

// save replaces the index by a rename: concurrent readers see the old or the new one, and the last
// of two writers wins.
func (x *Index) save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("making a folder for the index of transcripts: %w", err)
	}
	var text bytes.Buffer
	w := bufio.NewWriterSize(&text, 1<<16)
	x.write(w)
	_ = w.Flush() // a buffer never fails
	if err := durable.WriteNote(path, text.Bytes()); err != nil {
		return fmt.Errorf("writing the index of transcripts: %w", err)
	}
	return nil
}

func (x *Index) write(w *bufio.Writer) {
	var b []byte
	put := func(numbers ...uint64) {
		for _, n := range numbers {
			b = binary.AppendUvarint(b, n)
		}
	}
	flush := func() { // bufio keeps the first error for Flush
		_, _ = w.Write(b)
		b = b[:0]
	}
	b = append(b, magic...)
	put(uint64(len(x.files)))
	for path, f := range x.files {
		put(uint64(len(path)))
		b = append(b, path...)
		put(uint64(f.Offset), f.Head)
	}
	put(uint64(len(x.names)))
	for _, s := range x.names {
		put(uint64(len(s)))
		b = append(b, s...)
	}
	put(uint64(len(x.messages)))
	for _, m := range x.messages {
		put(m.Key, uint64(m.At), uint64(m.Session), uint64(m.Model), uint64(m.Input), uint64(m.Output), uint64(m.CacheRead), uint64(m.CacheWrite))
		flush()
	}
	flush()
}
