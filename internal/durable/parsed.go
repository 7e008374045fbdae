package durable

import (
	"bytes"
	"sync"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

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
