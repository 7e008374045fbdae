package night

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"warp/internal/engine/forge"
)

// lineup hands out the named issues in order, but none before those among them that it depends on
// are finished.
type lineup struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []string
	running []string
	needs   func(issue string, named []string) []string
}

// Lineup returns functions that hand out the named issues one by one, and mark them as finished.
func Lineup(ctx context.Context, tracker forge.Tracker, issues []string) (next func() (string, error), done func(string)) {
	l := newLineup(issues, dependencies(ctx, tracker))
	return l.next, l.markDone
}

func newLineup(issues []string, needs func(issue string, named []string) []string) *lineup {
	l := &lineup{waiting: slices.Clone(issues), needs: needs}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// next waits until an issue can start; "" if none is left. If all remaining ones wait for each
// other, it returns the first: its drive reports what is wrong.
func (l *lineup) next() (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 {
		named := slices.Concat(l.waiting, l.running)
		free := slices.IndexFunc(l.waiting, func(issue string) bool { return len(l.needs(issue, named)) == 0 })
		if free < 0 && len(l.running) == 0 {
			free = 0
		}
		if free >= 0 {
			issue := l.waiting[free]
			l.waiting = slices.Delete(l.waiting, free, free+1)
			l.running = append(l.running, issue)
			return issue, nil
		}
		l.changed.Wait()
	}
	return "", nil
}

// markDone marks an issue as finished, however it ended.
func (l *lineup) markDone(issue string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = slices.DeleteFunc(l.running, func(i string) bool { return i == issue })
	l.changed.Broadcast()
}

// dependencies returns a function that finds which of the named issues another depends on.
func dependencies(ctx context.Context, tracker forge.Tracker) func(string, []string) []string {
	known := map[string][]string{}
	return func(issue string, named []string) []string {
		by, ok := known[issue]
		if n, err := strconv.Atoi(issue); !ok && err == nil {
			if i, err := tracker.Get(ctx, n); err == nil {
				for _, d := range forge.Dependencies(i.Body) {
					by = append(by, strconv.Itoa(d))
				}
			}
			known[issue] = by // an unreadable one is reported when it starts
		}
		return slices.DeleteFunc(slices.Clone(by), func(b string) bool { return b == issue || !slices.Contains(named, b) })
	}
}
