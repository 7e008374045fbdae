package durable

// Glance is a document as its file has it. What the journal says beyond it was not read:
// so a glance costs the same however much was journalled since, which hooks pay on every
// tool call (after 100,000 rows each took two seconds).
type Glance[T any] struct {
	Doc  *T
	doc  *Doc[T]
	read *loaded
}

// Glance reads the document's file alone. ok is false where only Read can tell: there is
// no such file, it is damaged, or a write of it was cut short.
func (d *Doc[T]) Glance() (g Glance[T], ok bool) {
	if d.alone != nil || d.cutShort() {
		return g, false
	}
	l, err := d.snapshot()
	if err != nil {
		return g, false
	}
	return Glance[T]{l.doc.(*T), d, l}, true
}

// Read is the whole document, as Doc.Read gives it. The file is not read again where the
// journal knows it.
func (g Glance[T]) Read() (View[T], error) {
	err := g.doc.follow(g.read)
	if err != nil || !g.read.known || len(g.read.ahead) > 0 {
		return g.doc.Read()
	}
	return g.doc.view(g.read), nil
}
