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
	"warp/internal/engine/inbox"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/watch"
)

// projectList are the watched projects.
type projectList struct {
	readers []*feed.Reader
	roots   []string
	homes   []string // the stores that the work trees of each share
}

func (l *projectList) add(a *app.App, d *turnstile.Drive) {
	l.readers, l.roots, l.homes = append(l.readers, feed.Open(d, a.Env)), append(l.roots, d.Root()), append(l.homes, d.Project.Home().Dir())
}

// join records that a person is watching, so that questions wait for them. It ignores errors:
// watching works without.
func (l *projectList) join() (leave func()) {
	var all []func()
	for _, home := range l.homes {
		if leave, err := inbox.JoinWatchers(home); err == nil {
			all = append(all, leave)
		}
	}
	return func() {
		for _, leave := range all {
			leave()
		}
	}
}

// projects returns the project around the start folder, or all existing ones in the user's
// ledger.
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
		return nil, fmt.Errorf("no project in the token ledger exists any more: %w", app.ErrNoProject)
	}
	return list, nil
}

// read reads each project once.
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

// follow reports every change until ctx is done.
func (l *projectList) follow(ctx context.Context, all *sync.WaitGroup, tell func(watch.Feeds)) {
	var mu sync.Mutex
	latest, failed := make([]*feed.Feed, len(l.readers)), make([]error, len(l.readers))
	for n, r := range l.readers {
		all.Go(func() {
			// A panic here would leave the terminal in raw mode.
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
}

// readyEvery is how often trackers are asked for approved issues.
const readyEvery = time.Minute

// ready returns the approved issues of each project.
func (l *projectList) ready(ctx context.Context, a *app.App) (list []watch.Ready) {
	for _, root := range l.roots {
		if r, ok := ready(ctx, a, root); ok {
			list = append(list, r)
		}
	}
	return list
}

// askReady reports the approved issues repeatedly until ctx is done.
func (l *projectList) askReady(ctx context.Context, a *app.App, tell func(watch.Ready)) {
	for {
		for _, r := range l.ready(ctx, a) {
			tell(r)
		}
		if app.Sleep(ctx, readyEvery) != nil {
			return
		}
	}
}
