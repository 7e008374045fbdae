package sessions

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"warp/internal/adapter/beads"
	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/core/sessionstate"
	"warp/internal/core/workqueue"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// newQueues returns a function that opens the queue a strategy names.
func newQueues(a *app.App, d *turnstile.Drive) func(sessionstate.Holder, sessionstate.Until) (session.Queue, error) {
	var mu sync.Mutex
	var issues forge.Tracker
	return func(by sessionstate.Holder, u sessionstate.Until) (session.Queue, error) {
		if _, err := os.Stat(filepath.Join(d.Root(), ".beads")); u.Source == "" && err == nil {
			u.Source = sessionstate.Beads // default to the project's tracker
		}
		switch u.Source {
		case sessionstate.Beads:
			return beadsQueue{beads.New(beads.Options{Dir: d.Root(), Actor: by.String()}), by}, nil
		case sessionstate.Issues:
			mu.Lock()
			defer mu.Unlock()
			if issues == nil {
				t, err := tracker.Open(context.Background(), a, d)
				if err != nil {
					return nil, err
				}
				issues = t
			}
			return issueQueue{issues, u.Label, by}, nil
		}
		doc := d.Project.Queue()
		return workQueue{&step.Document[workqueue.Queue]{Doc: doc, Remark: func(string, ...any) {}}, by}, nil
	}
}

// beadsQueue is the Beads tracker.
type beadsQueue struct {
	b  *beads.Beads
	by sessionstate.Holder
}

// Ready returns beads with the session's label first, then those without any session's label. It
// leaves out those labelled for other sessions.
func (q beadsQueue) Ready(ctx context.Context) (ready []session.Item, held int, err error) {
	list, err := q.b.Ready(ctx)
	if err != nil {
		return nil, 0, err
	}
	var rest []session.Item
	for _, i := range list {
		item := session.Item{ID: i.ID, Title: i.Title, Text: i.Description}
		own, others := sessionstate.MeantFor(i.Labels, q.by.Session)
		switch {
		case own:
			ready = append(ready, item)
		case !others:
			rest = append(rest, item)
		}
	}
	if ready = append(ready, rest...); len(ready) > 0 {
		return ready, 0, nil
	}
	all, err := q.b.Unfinished(ctx) // nothing ready does not mean everything is done
	return nil, len(all), err
}

// Claim checks the status first, because bd allows claiming closed beads.
func (q beadsQueue) Claim(ctx context.Context, id string) error {
	i, err := q.b.Show(ctx, id)
	switch {
	case beads.IsGone(err):
		return &session.ClaimedError{ID: id}
	case err != nil:
		return err
	case i.Status == "in_progress" && i.Assignee == q.by.String():
		return nil // claimed before a crash
	case i.Status != "open":
		return &session.ClaimedError{ID: id, By: i.Assignee}
	}
	_, err = q.b.Claim(ctx, id)
	has, is := errors.AsType[*beads.ClaimedError](err)
	switch {
	case is && has.By != q.by.String():
		return &session.ClaimedError{ID: id, By: has.By}
	case is:
		return nil
	}
	return err
}

func (q beadsQueue) Release(ctx context.Context, id string) error {
	i, err := q.b.Show(ctx, id)
	if beads.IsGone(err) {
		return nil
	}
	if err != nil || i.Status != "in_progress" || i.Assignee != q.by.String() {
		return err
	}
	return q.b.Release(ctx, id)
}

func (q beadsQueue) Close(ctx context.Context, id, why string) error { return q.b.Close(ctx, id, why) }

func (q beadsQueue) Claims(ctx context.Context) (list []session.Claim, err error) {
	all, err := q.b.InProgress(ctx)
	for _, i := range all {
		if by, ok := sessionstate.ParseHolder(i.Assignee); ok {
			list = append(list, session.Claim{ID: i.ID, By: by})
		}
	}
	return list, err
}

// workQueue is the project's work queue. step.Document repairs it if an agent writes to it.
type workQueue struct {
	*step.Document[workqueue.Queue]
	by sessionstate.Holder
}

// read returns the queue, empty if there is none.
func (q workQueue) read() (*workqueue.Queue, error) {
	v, err := q.Doc.Read()
	if durable.IsMissing(err) {
		return &workqueue.Queue{Version: workqueue.Version}, nil
	}
	if err != nil {
		return nil, err
	}
	return v.Doc, nil
}

func (q workQueue) Ready(context.Context) (ready []session.Item, held int, err error) {
	w, err := q.read()
	if err != nil {
		return nil, 0, err
	}
	q.Set(w)
	for _, i := range w.Ordered() {
		switch {
		case i.Free():
			ready = append(ready, session.Item{ID: i.ID, Title: i.Title, Text: i.Description})
		case i.Status != workqueue.Done:
			held++
		}
	}
	return ready, held, nil
}

func (q workQueue) Claim(_ context.Context, id string) error {
	return q.Update("queue", func(w *workqueue.Queue) error {
		ok, by, err := w.Claim(id, q.by.String())
		if app.IsA[*workqueue.UnknownError](err) || err == nil && !ok {
			return &session.ClaimedError{ID: id, By: by}
		}
		return err
	})
}

func (q workQueue) Release(_ context.Context, id string) error {
	w, err := q.read()
	if err != nil || !slices.ContainsFunc(w.Items, func(i workqueue.Item) bool { return i.ID == id && i.Holder == q.by.String() }) {
		return err
	}
	return q.Update("queue", func(w *workqueue.Queue) error { return w.Return(id, q.by.String()) })
}

func (q workQueue) Close(_ context.Context, id, _ string) error {
	return q.Update("queue", func(w *workqueue.Queue) error { _, err := w.Done(id); return err })
}

func (q workQueue) Claims(context.Context) (list []session.Claim, err error) {
	w, err := q.read()
	if err != nil {
		return nil, err
	}
	for _, i := range w.Items {
		if by, ok := sessionstate.ParseHolder(i.Holder); ok && i.Status != workqueue.Done {
			list = append(list, session.Claim{ID: i.ID, By: by, Here: true})
		}
	}
	return list, nil
}

// Add adds items an agent found.
func (q workQueue) Add(_ context.Context, titles []string) error {
	return q.Update("queue", func(w *workqueue.Queue) error {
		for _, t := range titles {
			w.Add(workqueue.Found{Title: t, Source: workqueue.FromAssess})
		}
		return nil
	})
}

// Claims returns the queue claims of a work tree's sessions.
func Claims(a *app.App, d *turnstile.Drive) *session.Claims {
	return &session.Claims{
		Store: d.Store(), Place: placeOf(d.Project.Home().Dir(), d.Store().Dir()), Queue: newQueues(a, d),
		Process: step.Process{PID: a.Env.PID, Host: app.Hostname()},
		Places:  func() map[string]*durable.Store { return places(a, d) },
	}
}

// placeOf returns a work tree's name in claims. Other machines may read it, so it hides the
// path.
func placeOf(home, dir string) string {
	part := func(dir string) string {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		sum := sha256.Sum256([]byte(app.Hostname() + "\x00" + dir))
		return hex.EncodeToString(sum[:4])
	}
	if p, q := part(home), part(dir); p != q {
		return p + "." + q
	}
	return part(home)
}

// places returns the stores of a project's work trees by name.
func places(a *app.App, d *turnstile.Drive) map[string]*durable.Store {
	home := d.Project.Home()
	all := map[string]*durable.Store{placeOf(home.Dir(), home.Dir()): home}
	tree, err := gitwrite.Open(d.Root())
	if err != nil {
		return all
	}
	trees, err := tree.Worktrees(context.Background())
	if err != nil {
		return all
	}
	for _, w := range trees {
		if !w.Missing {
			store := turnstile.Open(w.Path, a.Env).Store()
			all[placeOf(home.Dir(), store.Dir())] = store
		}
	}
	return all
}
