package step

import (
	"errors"
	"fmt"
	"sync"

	"warp/internal/durable"
)

// Document is the state of a piece of work, which only its engine changes, under its lease. It is
// safe for concurrent use.
type Document[T any] struct {
	Doc    *durable.Doc[T]
	Lease  *Lease // nil: the caller checks it
	Remark func(format string, args ...any)
	Passed func(point string)
	// Before is applied to the document before each change; may be nil.
	Before func(*T)
	// Alone: nothing else may write it now, so foreign changes are reverted before each change.
	// Otherwise an agent running in parallel could raise its own limits.
	Alone bool

	mu    sync.Mutex
	state *T // as last written
}

// Now returns the document as last written.
func (d *Document[T]) Now() *T {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// Fresh returns the document as stored: a person's command may have changed it while the engine
// runs. Changes by anything else do not count.
func (d *Document[T]) Fresh() *T {
	d.mu.Lock()
	defer d.mu.Unlock()
	if v, err := d.Doc.Read(); err == nil && !v.Foreign && !v.Undone && d.state != nil {
		d.state = v.Doc
	}
	return d.state
}

// Set sets a document that was read, or is about to be written for the first time.
func (d *Document[T]) Set(state *T) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state = state
}

// Update changes the document durably. If an agent removed the file, its content is still known
// here.
func (d *Document[T]) Update(what string, fn func(*T) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.Lease != nil {
		if err := d.Lease.Check(); err != nil {
			return err
		}
	}
	if err := d.repairOwn(); err != nil {
		return err
	}
	err := d.write(what, func(doc *T) error {
		if d.Before != nil {
			d.Before(doc)
		}
		return fn(doc)
	})
	if err == nil && d.Passed != nil {
		d.Passed(what)
	}
	return err
}

// UpdateTold changes the document durably, and announces the result before it is recorded: an
// engine killed in between announces it again rather than never. fn is called once more for that.
func (d *Document[T]) UpdateTold(what string, fn func(*T) error, tell func(next *T)) error {
	if d.Lease != nil { // a replaced engine has nothing to announce
		if err := d.Lease.Check(); err != nil {
			return err
		}
	}
	next := d.preview(fn)
	if next != nil {
		tell(next)
	}
	err := d.Update(what, fn)
	if err == nil && next == nil {
		tell(d.Now())
	}
	return err
}

// preview returns the document after a change; nil if that is unknown, because something else wrote
// or removed it.
func (d *Document[T]) preview(fn func(*T) error) *T {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.repairOwn() != nil {
		return nil
	}
	v, err := d.Doc.Read()
	if err != nil || v.Foreign || v.Undone {
		return nil
	}
	if d.Before != nil {
		d.Before(v.Doc)
	}
	if fn(v.Doc) != nil {
		return nil
	}
	return v.Doc
}

// write changes the document, even one that was removed.
func (d *Document[T]) write(what string, change func(*T) error) error {
	var next *T
	var notes []string
	err := durable.RetryBusy(func() (err error) {
		notes, err = d.Doc.Update(func(tx *durable.Tx[T]) error {
			if tx.Doc == nil && d.state == nil {
				return fmt.Errorf("there is nothing to change yet (%s)", what)
			}
			if tx.Doc == nil {
				was := *d.state
				tx.Doc = &was
			}
			if err := change(tx.Doc); err != nil {
				return err
			}
			next = tx.Doc
			tx.Log(what, nil)
			return nil
		})
		return err
	})
	for _, n := range notes {
		d.Remark("%s", n)
	}
	if err == nil {
		d.state = next
	}
	return err
}

// Repair rebuilds the document from the journal if anything but an engine wrote or removed it, and
// reports whether it had to.
func (d *Document[T]) Repair() (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.repair()
}

// repairOwn repairs a document that only the engine writes, and remarks that.
func (d *Document[T]) repairOwn() error {
	if !d.Alone {
		return nil
	}
	again, err := d.repair()
	if again && err == nil {
		d.Remark("the engine's own state was changed or deleted by something else; it was rebuilt from the journal")
	}
	return err
}

func (d *Document[T]) repair() (bool, error) {
	if d.state == nil {
		return false, nil
	}
	v, err := d.Doc.Read()
	if err == nil && !v.Foreign && !v.Undone {
		if len(v.Notes) > 0 { // it was damaged, and reading rebuilt it
			d.state = v.Doc
		}
		return len(v.Notes) > 0, nil
	}
	if bad := (*durable.DamagedError)(nil); err != nil && !durable.IsMissing(err) && !errors.As(err, &bad) {
		return false, err
	}
	if v, err = d.Doc.Rebuild(); err == nil {
		d.state = v.Doc
		return true, nil
	}
	// The journal has lost it too: use what is known here.
	was := *d.state
	return true, d.write("repaired", func(doc *T) error { *doc = was; return nil })
}
