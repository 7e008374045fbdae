package durable

import "warp/internal/core/lossless"

// Glance is a document's unparsed file, without the journal rows after it. Its cost does not depend
// on the number of rows, which matters for hooks that run on every tool call (after 100,000 rows
// each took two seconds).
type Glance[T any] struct {
	doc  *Doc[T]
	text []byte
}

// Glance reads only the document's file. ok is false if that is not enough and Read is needed: the
// file is missing, or a write was interrupted.
func (d *Doc[T]) Glance() (g Glance[T], ok bool) {
	if d.alone != nil {
		return g, false
	}
	return d.GlanceIdle()
}

// GlanceIdle is Glance for callers who know that no engine is working on the document, because its
// lease is free. Then the file alone decides.
func (d *Doc[T]) GlanceIdle() (g Glance[T], ok bool) {
	if d.cutShort() {
		return g, false
	}
	text, err := d.in.read(d.path)
	return Glance[T]{d, text}, err == nil
}

// Members calls fn with each outermost member of the document and its raw value.
func (g Glance[T]) Members(fn func(key string, raw []byte)) error { return lossless.Scan(g.text, fn) }

// Doc parses the document as the file has it, for display only.
func (g Glance[T]) Doc() (*T, error) {
	l, err := g.doc.parse(g.text)
	if err != nil {
		return nil, err
	}
	return g.doc.view(l).Doc, nil
}

// Read returns the whole document as Doc.Read does. It does not read the file again if the journal
// knows its content.
func (g Glance[T]) Read() (View[T], error) {
	l, err := g.doc.parse(g.text)
	if err == nil {
		err = g.doc.history.follow(l)
	}
	if err != nil || !l.known || len(l.ahead) > 0 {
		return g.doc.Read()
	}
	return g.doc.view(l), nil
}
