package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"warp/internal/adapter/work/beads"
	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/core/session"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/engine/qualityloop"
	engine "warp/internal/engine/session"
	"warp/internal/engine/step"
	"warp/internal/turnstile"
)

// queues opens the queue that a strategy names.
func queues(a *app.App, d *turnstile.Drive) func(session.Until) (engine.Queue, error) {
	var mu sync.Mutex
	var issues forge.Tracker
	return func(u session.Until) (engine.Queue, error) {
		if _, err := os.Stat(filepath.Join(d.Root(), ".beads")); u.Source == "" && err == nil {
			u.Source = session.Beads // where nobody says which queue, the project's own tracker is meant
		}
		switch u.Source {
		case session.Beads:
			return beadsQueue{beads.New(beads.Options{Dir: d.Root()})}, nil
		case session.Issues:
			mu.Lock()
			defer mu.Unlock()
			if issues == nil {
				t, err := tracker.Open(context.Background(), a, d)
				if err != nil {
					return nil, err
				}
				issues = t
			}
			return issueQueue{issues, u.Label}, nil
		}
		return workQueue{&step.Document[workqueue.Queue]{Doc: durable.Open(d.Project.Home(), workqueue.File, qualityloop.Kind), Remark: func(string, ...any) {}}}, nil
	}
}

// beadsQueue is the tracker Beads.
type beadsQueue struct{ b *beads.Beads }

func (q beadsQueue) Ready(ctx context.Context) (ready []engine.Item, held int, err error) {
	list, err := q.b.Ready(ctx)
	if err != nil {
		return nil, 0, err
	}
	for _, i := range list {
		ready = append(ready, engine.Item{ID: i.ID, Title: i.Title, Text: i.Description})
	}
	if len(ready) > 0 {
		return ready, 0, nil
	}
	all, err := q.b.Unfinished(ctx) // nothing ready does not mean that all is done
	return nil, len(all), err
}

func (q beadsQueue) Claim(ctx context.Context, id string) error {
	_, err := q.b.Claim(ctx, id)
	var claimed *beads.ClaimedError
	if errors.As(err, &claimed) {
		return nil // by ourselves, before a crash, or it would not have been ready
	}
	return err
}

func (q beadsQueue) Release(ctx context.Context, id string) error { return q.b.Release(ctx, id) }

func (q beadsQueue) Close(ctx context.Context, id, why string) error { return q.b.Close(ctx, id, why) }

// issueQueue is the tracker's issues with a label.
type issueQueue struct {
	t     forge.Tracker
	label string
}

func (q issueQueue) Ready(ctx context.Context) (ready []engine.Item, held int, err error) {
	list, err := q.t.List(ctx, forge.Query{Labels: []string{q.label}})
	if err != nil {
		return nil, 0, err
	}
	free, waiting := forge.Order(list, forge.StillOpen(ctx, q.t))
	for _, i := range free {
		ready = append(ready, engine.Item{ID: strconv.Itoa(i.Number), Title: i.Title, Text: i.Body})
	}
	return ready, len(waiting), nil
}

func (issueQueue) Claim(context.Context, string) error   { return nil }
func (issueQueue) Release(context.Context, string) error { return nil }

func (q issueQueue) Close(ctx context.Context, id, why string) error {
	n, err := strconv.Atoi(id)
	if err != nil {
		return fmt.Errorf("%q is no issue's number", id)
	}
	if err := q.t.Comment(ctx, n, forge.NewComment{Body: why, Once: "session-closed"}); err != nil {
		return err
	}
	return q.t.Close(ctx, n)
}

// workQueue is the work queue of the project. It is repaired when an agent writes
// it.
type workQueue struct {
	*step.Document[workqueue.Queue]
}

func (q workQueue) Ready(context.Context) (ready []engine.Item, held int, err error) {
	v, err := q.Doc.Read()
	if durable.IsMissing(err) {
		q.Set(&workqueue.Queue{Version: workqueue.Version})
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	q.Set(v.Doc)
	for _, i := range v.Doc.Ordered() {
		switch i.Status {
		case workqueue.Pending, workqueue.InProgress:
			ready = append(ready, engine.Item{ID: i.ID, Title: i.Title, Text: i.Description})
		case workqueue.Done:
		default:
			held++
		}
	}
	return ready, held, nil
}

func (q workQueue) Claim(_ context.Context, id string) error {
	return q.Update("queue", func(w *workqueue.Queue) error { _, err := w.Start(id); return err })
}

func (workQueue) Release(context.Context, string) error { return nil } // what is in progress is ready

func (q workQueue) Close(_ context.Context, id, _ string) error {
	return q.Update("queue", func(w *workqueue.Queue) error { _, err := w.Done(id); return err })
}

// Add takes what an agent came across.
func (q workQueue) Add(_ context.Context, titles []string) error {
	return q.Update("queue", func(w *workqueue.Queue) error {
		for _, t := range titles {
			w.Add(workqueue.Found{Title: t, Source: workqueue.FromAssess})
		}
		return nil
	})
}
