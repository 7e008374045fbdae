package watchcmd

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"warp/internal/cli/app"
	"warp/internal/cli/cost"
	"warp/internal/engine/watchers"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/watch"
)

// projectList are the projects that are watched.
type projectList struct {
	readers []*feed.Reader
	roots   []string
	homes   []string // of what the work trees of each share
}

func (l *projectList) add(a *app.App, d *turnstile.Drive) {
	l.readers, l.roots, l.homes = append(l.readers, feed.Open(d, a.Env)), append(l.roots, d.Root()), append(l.homes, d.Project.Home().Dir())
}

// join says that a person looks at them: questions are waited for. Where that cannot be
// said, looking works all the same.
func (l *projectList) join() (leave func()) {
	var all []func()
	for _, home := range l.homes {
		if leave, err := watchers.Join(home); err == nil {
			all = append(all, leave)
		}
	}
	return func() {
		for _, leave := range all {
			leave()
		}
	}
}

// projects are the one around the start folder, or all that the user's ledger names and
// that are still there.
func projects(a *app.App, all bool) (*projectList, error) {
	if !all {
		d, err := a.Project()
		if err != nil {
			return nil, err
		}
		list := &projectList{}
		list.add(a, d)
		return list, nil
	}
	var here []string
	if d, err := a.Project(); err == nil {
		here = append(here, d.Root())
	}
	roots, err := cost.KnownProjects(a, here...)
	if err != nil {
		return nil, err
	}
	list := &projectList{}
	for _, root := range roots {
		list.add(a, turnstile.Open(root, a.Env))
	}
	if len(list.readers) == 0 {
		return nil, fmt.Errorf("the token ledger names no project that is still there: %w", app.ErrNoProject)
	}
	return list, nil
}

// read reads all of them once.
func (l *projectList) read() (feeds []*feed.Feed, err error) {
	var errs []error
	for _, r := range l.readers {
		f, err := r.Read()
		if err != nil {
			errs = append(errs, err)
			continue
		}
		feeds = append(feeds, f)
	}
	if len(feeds) == 0 {
		return nil, errors.Join(errs...)
	}
	return feeds, nil
}

// follow tells of every change, until the context is done; the caller waits for that.
func (l *projectList) follow(ctx context.Context, tell func(watch.Feeds)) (wait func()) {
	var mu sync.Mutex
	var all sync.WaitGroup
	latest, failed := make([]*feed.Feed, len(l.readers)), make([]error, len(l.readers))
	for n, r := range l.readers {
		all.Go(func() {
			// A panic here would leave the terminal as the screen has set it up.
			defer func() {
				if p := recover(); p != nil {
					tell(watch.Feeds{Err: fmt.Errorf("reading stopped: %v %s", p, debug.Stack())})
				}
			}()
			r.Follow(ctx, func(f *feed.Feed, err error) {
				mu.Lock()
				latest[n], failed[n] = f, err
				feeds := slices.DeleteFunc(slices.Clone(latest), func(f *feed.Feed) bool { return f == nil })
				told := watch.Feeds{List: feeds, Err: errors.Join(failed...)}
				mu.Unlock()
				if len(feeds) == len(l.readers) || err != nil {
					tell(told)
				}
			})
		})
	}
	return all.Wait
}

// readyEvery is how often trackers are asked what is approved.
const readyEvery = time.Minute

// ready asks all of them once.
func (l *projectList) ready(ctx context.Context, a *app.App) (list []watch.Ready) {
	for _, root := range l.roots {
		if r, ok := ready(ctx, a, root); ok {
			list = append(list, r)
		}
	}
	return list
}

// askReady tells what is approved, again and again until the context is done.
func (l *projectList) askReady(ctx context.Context, a *app.App, tell func(watch.Ready)) (wait func()) {
	var all sync.WaitGroup
	all.Go(func() {
		for {
			for _, r := range l.ready(ctx, a) {
				tell(r)
			}
			if app.Sleep(ctx, readyEvery) != nil {
				return
			}
		}
	})
	return all.Wait
}
