package durable

import (
	"bytes"
	"sync"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// parsed is what the text of a document's file says. Values are never changed, so several may
// have it.
type parsed struct {
	text           []byte
	tree, position *lossless.Value // the document, and where it stands in the journal
	sum            string
}

// mostTexts bounds how many texts are remembered.
const mostTexts = 8

// texts are those that were parsed last, by their files. A process reads a document many times
// between two changes, and one with a long history is a hundred kilobytes.
var texts = struct {
	sync.Mutex
	last map[string]*parsed
}{last: map[string]*parsed{}}

// parseText parses a text, unless it is the one that was parsed last.
func (d *document) parseText(text []byte) (*parsed, error) {
	texts.Lock()
	p := texts.last[d.path]
	texts.Unlock()
	if p != nil && bytes.Equal(p.text, text) {
		return p, nil
	}
	tree, err := lossless.Parse(text)
	if err != nil {
		return nil, &DamagedError{Path: d.path, Why: err, healable: true}
	}
	p = &parsed{text: text, tree: tree.Without(positionMember), position: tree.Get(positionMember), sum: event.Sum(text)}
	texts.Lock()
	defer texts.Unlock()
	if len(texts.last) >= mostTexts {
		clear(texts.last)
	}
	texts.last[d.path] = p
	return p, nil
}
