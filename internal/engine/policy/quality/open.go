package quality

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"warp/internal/core/telemetry"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
)

// Where an iteration's memory is kept: the file, and the fact in it.
const (
	memoryFile = "state/loop/iteration.json"
	iteration  = "iteration"
)

// marker is what is known of an iteration besides its answers, and of its loop where the queue has
// no place for it. A power cut may lose it: then the loop starts over with the items in the queue.
type marker struct {
	Number    int      `json:"number"`          // of the session's iteration
	Iteration int      `json:"iteration"`       // the queue's
	Fresh     bool     `json:"fresh,omitempty"` // the loop begins with it
	Seen      []string `json:"seen,omitempty"`  // open items that a person was asked to look at
	Given     []string `json:"given,omitempty"` // the items of the build
}

func (b *Loop) saveMarker(point string) error {
	text, err := json.Marshal(b.m)
	if err != nil {
		return err
	}
	b.known.Facts[iteration] = string(text)
	if err := b.known.Save(); err != nil {
		return err
	}
	b.Passed(point)
	return nil
}

// openIteration finds the iteration to run: one started before, the loop's next, or the first of a
// new loop. The marker is written before the queue, so that a crash shows what the queue lacks.
func (b *Loop) openIteration(it session.Iteration) error {
	b.number = it.Number
	v, err := b.doc.Doc.Read()
	switch {
	case durable.IsMissing(err):
		v.Doc = &workqueue.Queue{}
	case err != nil:
		return fmt.Errorf("reading the work queue: %w", err)
	}
	b.doc.Set(v.Doc)
	b.known, _, err = step.Remember(b.Store, filepath.Join(b.Store.Dir(), filepath.FromSlash(memoryFile)), b.Session+" "+b.Name)
	if err != nil {
		return err
	}
	b.m = marker{}
	known := json.Unmarshal([]byte(b.known.Facts[iteration]), &b.m) == nil
	if !known || b.m.Number != it.Number || it.Number == 1 && !it.Again {
		if err := b.newMarker(known); err != nil {
			return err
		}
	}
	if q := b.queue(); q.Loop == nil || q.Iteration != b.m.Iteration {
		if err := b.update("iteration", b.enterIteration); err != nil {
			return err
		}
		b.Passed("iteration_entered")
	}
	if b.looked {
		return nil
	}
	return b.refreshInputs()
}

// newMarker creates the marker of a new iteration.
func (b *Loop) newMarker(known bool) error {
	was, loop := b.m, b.queue().Loop
	fresh := loop == nil || !known || was.Number > b.number || b.number == 1 || loop.Phase.Final()
	if fresh && b.Reset {
		if err := b.setAside(); err != nil {
			return err
		}
	}
	clear(b.known.Answers)
	b.m = marker{Number: b.number, Iteration: b.queue().Iteration + 1, Fresh: fresh}
	if !fresh {
		b.m.Seen = slices.DeleteFunc(was.Seen, func(id string) bool { // an item found again counts as new
			it, err := b.queue().Find(id)
			return err != nil || it.Status == workqueue.Done
		})
	}
	return b.saveMarker("iteration_marked")
}

// enterIteration moves the queue to the marker's iteration.
func (b *Loop) enterIteration(q *workqueue.Queue) error {
	if b.m.Fresh || q.Loop == nil {
		q.Begin(b.Now())
		q.Task = b.Task
	}
	q.Iteration = b.m.Iteration
	switch {
	case q.Loop.Phase != workqueue.Paused:
		return nil
	case q.Open() > 0:
		return q.Fire(workqueue.Resumed, workqueue.WorkWaits)
	}
	return q.Fire(workqueue.Resumed, workqueue.ContextReady)
}

// refreshInputs takes in what may have changed since the last start: the gates, and the errors that
// hooks have seen.
func (b *Loop) refreshInputs() error {
	var names []string
	for _, g := range b.check.gates {
		names = append(names, g.Name)
	}
	found := b.classifiedErrors()
	if err := b.update("context", func(q *workqueue.Queue) error {
		q.KeepGates(names)
		b.addFound(q, found)
		return nil
	}); err != nil {
		return err
	}
	b.looked = true
	for _, odd := range b.queue().DescribeUnread() {
		b.remark("%s", odd)
	}
	return b.writeState()
}

// classifiedErrors returns the classified errors that are work. Hooks observed them: an unreadable
// list stops nothing.
func (s *setup) classifiedErrors() []workqueue.Found {
	v, err := durable.Open(s.Store, "state/errors/classified.json", durable.Kind[telemetry.Errors]{Name: "errors"}).Read()
	if err == nil {
		return workqueue.Errors(v.Doc.Errors)
	}
	if !durable.IsMissing(err) {
		s.remark("the classified errors are left out: %v", err)
	}
	return nil
}

// addFound adds findings to the queue, without secrets.
func (s *setup) addFound(q *workqueue.Queue, found []workqueue.Found) {
	for _, f := range found {
		f.Title, f.Description = s.Redact(f.Title), s.Redact(f.Description)
		if _, outcome := q.Add(f); outcome == workqueue.Full {
			s.remark("the work queue is full (warp queue done closes items); left out: %s", f.Title)
		}
	}
}

// setAside keeps a queue under another name and removes it.
func (b *Loop) setAside() error {
	file := ".claude/" + workqueue.File
	text, err := b.Store.ReadFile(file)
	if err != nil || text == nil {
		return err
	}
	kept := file + "." + b.Now().UTC().Format("20060102T150405Z")
	if err := b.Store.EditFile(kept, func([]byte) ([]byte, error) { return text, nil }); err != nil {
		return fmt.Errorf("archiving the old work queue: %w", err)
	}
	b.Passed("queue_kept")
	if _, err := b.doc.Doc.Remove(); err != nil {
		return err
	}
	b.doc.Set(&workqueue.Queue{})
	b.remark("the old work queue is kept as %s", kept)
	b.Passed("queue_removed")
	return nil
}
