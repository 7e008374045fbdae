package durable

import "warp/internal/core/lossless"

// Glance is a document's file, unparsed. What the journal says beyond it was not read: so a
// glance costs the same however much was journalled since, which hooks pay on every tool
// call (after 100,000 rows each took two seconds).
type Glance[T any] struct {
	doc  *Doc[T]
	text []byte
}

// Glance reads the document's file alone. ok is false where only Read can tell: there is
// no such file, or a write of it was cut short.
func (d *Doc[T]) Glance() (g Glance[T], ok bool) {
	if d.alone != nil {
		return g, false
	}
	return d.GlanceIdle()
}

// GlanceIdle is Glance for those who know that no engine is at the document: its lease is
// free. Then no one else's word counts against the file's.
func (d *Doc[T]) GlanceIdle() (g Glance[T], ok bool) {
	if d.cutShort() {
		return g, false
	}
	text, err := d.in.read(d.path)
	return Glance[T]{d, text}, err == nil
}

// Members calls fn with each outermost member of the document, its value as the raw text.
func (g Glance[T]) Members(fn func(key string, raw []byte)) error { return lossless.Scan(g.text, fn) }

// Doc is the document as the file has it. It is for those who only look.
func (g Glance[T]) Doc() (*T, error) {
	l, err := g.doc.parse(g.text)
	if err != nil {
		return nil, err
	}
	return g.doc.view(l).Doc, nil
}

// Read is the whole document, as Doc.Read gives it. The file is not read again where the
// journal knows what it holds.
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
