package night

import (
	"context"
	"slices"
	"strconv"
	"sync"

	"warp/internal/engine/forge"
)

// lineup gives the issues that were named, in their order, but none before those
// among them that it depends on are done with.
type lineup struct {
	mu      sync.Mutex
	changed *sync.Cond
	waiting []string
	running []string
	needs   func(issue string, named []string) []string
}

// Lineup gives the issues that were named one by one, and is told which are done with.
func Lineup(ctx context.Context, tracker forge.Tracker, issues []string) (next func() (string, error), done func(string)) {
	l := newLineup(issues, dependencies(ctx, tracker))
	return l.next, l.markDone
}

func newLineup(issues []string, needs func(issue string, named []string) []string) *lineup {
	l := &lineup{waiting: slices.Clone(issues), needs: needs}
	l.changed = sync.NewCond(&l.mu)
	return l
}

// next waits until an issue can be begun; "" when none is left. When all that are
// left wait for each other, the first is given: its drive says what is wrong.
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

// markDone tells that an issue is done with, however it ended.
func (l *lineup) markDone(issue string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running = slices.DeleteFunc(l.running, func(i string) bool { return i == issue })
	l.changed.Broadcast()
}

// dependencies finds which of the named issues another depends on.
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
			known[issue] = by // what cannot be read is found out when it is begun
		}
		return slices.DeleteFunc(slices.Clone(by), func(b string) bool { return b == issue || !slices.Contains(named, b) })
	}
}
