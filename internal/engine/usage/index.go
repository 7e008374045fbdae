package usage

import "warp/internal/core/tokens"

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
