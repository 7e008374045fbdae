package qualityloop

import (
	"fmt"

	"warp/internal/core/telemetry"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/session"
)

// open finds the iteration that is to be run: one that was begun before, the next
// of the loop, or the first of a new one. The marker is written before the queue, so
// that what the queue lacks is known after a crash.
func (b *Loop) open(it session.Iteration) error {
	b.it = it
	v, err := b.doc.Doc.Read()
	if err != nil && !durable.IsMissing(err) {
		return fmt.Errorf("reading the work queue: %w", err)
	}
	if b.fresh = err != nil; b.fresh {
		v.Doc = &workqueue.Queue{}
	}
	b.doc.Set(v.Doc)
	known, err := b.recall()
	if err != nil {
		return err
	}
	if !known || b.m.Number != it.Number || it.Number == 1 && !it.Again {
		if err := b.turn(known); err != nil {
			return err
		}
	}
	if b.fresh || b.q().Loop == nil || b.q().Iteration != b.m.Iteration {
		if err := b.update("iteration", b.enter); err != nil {
			return err
		}
		b.passed("iteration_entered")
	}
	if b.looked {
		return nil
	}
	return b.look()
}

// turn makes the marker of an iteration that is new.
func (b *Loop) turn(known bool) error {
	was, q := b.m, b.q()
	anew := b.fresh || q.Loop == nil || !known || was.Number > b.it.Number || b.it.Number == 1 || q.Loop.Phase.Final()
	if anew && b.Reset && !b.fresh {
		if err := b.setAside(); err != nil {
			return err
		}
	}
	b.m = marker{Number: b.it.Number, Iteration: 1, Fresh: anew}
	if !b.fresh {
		b.m.Iteration = b.q().Iteration + 1
	}
	clear(b.known.Answers)
	for _, id := range was.Seen { // one that is found again is another matter
		if it, err := b.q().Find(id); err == nil && it.Status != workqueue.Done && !anew {
			b.m.Seen = append(b.m.Seen, id)
		}
	}
	return b.mark("iteration_marked")
}

// enter brings the queue into the iteration that the marker tells of.
func (b *Loop) enter(q *workqueue.Queue) error {
	if b.m.Fresh || q.Loop == nil {
		q.Begin(b.Now())
		q.Task = b.Task
	}
	q.Iteration = b.m.Iteration
	if q.Loop.Phase != workqueue.Paused {
		return nil
	}
	next := workqueue.ContextReady
	if q.Open() > 0 {
		next = workqueue.WorkWaits
	}
	return fire(q, workqueue.Resumed, next)
}

// look takes in what may have changed since the last start: the gates, and the
// errors that hooks have seen.
func (b *Loop) look() error {
	var names []string
	for _, g := range b.gates {
		names = append(names, g.Name)
	}
	found := b.errors()
	if err := b.update("context", func(q *workqueue.Queue) error {
		q.Only(names)
		add(q, found)
		return nil
	}); err != nil {
		return err
	}
	b.looked = true
	b.tell(session.Note{Kind: session.Phased, Text: string(b.q().Loop.Phase)})
	return b.show()
}

// errors are the classified errors that are work. They are what hooks observed:
// a list that cannot be read stops nothing.
func (b *checker) errors() []workqueue.Found {
	v, err := durable.Open(b.Store, "state/errors/classified.json", durable.Kind[telemetry.Errors]{Name: "errors"}).Read()
	if err != nil {
		if !durable.IsMissing(err) {
			b.remark("the classified errors are left out: %v", err)
		}
		return nil
	}
	found := workqueue.Errors(v.Doc.Errors)
	for i := range found {
		found[i].Title, found[i].Description = b.Redact(found[i].Title), b.Redact(found[i].Description)
	}
	return found
}

// setAside keeps a queue under another name and takes it away.
func (b *Loop) setAside() error {
	file := ".claude/" + workqueue.File
	text, err := b.Store.ReadFile(file)
	if err != nil {
		return err
	}
	kept := file + "." + b.Now().UTC().Format("20060102T150405Z")
	if err := b.Store.EditFile(kept, func([]byte) ([]byte, error) { return text, nil }); err != nil {
		return fmt.Errorf("keeping the old work queue: %w", err)
	}
	b.passed("queue_kept")
	if _, err := b.doc.Doc.Remove(); err != nil {
		return err
	}
	b.doc.Set(&workqueue.Queue{})
	b.fresh = true
	b.remark("the old work queue is kept as %s", kept)
	b.passed("queue_removed")
	return nil
}

func add(q *workqueue.Queue, found []workqueue.Found) {
	for _, f := range found {
		q.Add(f)
	}
}
