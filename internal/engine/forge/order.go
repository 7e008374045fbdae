package forge

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// middle is the priority of an issue without a label for it: before p3, after p0 and p1.
const middle = 2

// Held is an issue that waits for others.
type Held struct {
	Issue
	By []int `json:"by"` // those that are still open
}

// Order sorts open issues into the order of work: by priority (labels p0 to p3; none counts as p2,
// of several the most urgent), then by number. An issue that depends on an open one is held back,
// and only that issue: whatever waits for it, or a circle, does not block any other. open reports
// whether an issue that is not listed is open; nil: none is.
func Order(issues []Issue, open func(number int) bool) (ready []Issue, held []Held) {
	listed := map[int]bool{}
	for _, i := range issues {
		listed[i.Number] = i.Open
	}
	still := func(n int) bool {
		if known, ok := listed[n]; ok {
			return known
		}
		return open != nil && open(n)
	}
	for _, i := range issues {
		if !i.Open {
			continue
		}
		var by []int
		for _, n := range Dependencies(i.Body) {
			if n != i.Number && still(n) {
				by = append(by, n)
			}
		}
		if len(by) > 0 {
			held = append(held, Held{i, by})
		} else {
			ready = append(ready, i)
		}
	}
	slices.SortStableFunc(ready, inOrder)
	slices.SortStableFunc(held, func(a, b Held) int { return inOrder(a.Issue, b.Issue) })
	return ready, held
}

// Before reports whether an issue comes before another in the order of work.
func Before(a, b Issue) bool { return inOrder(a, b) < 0 }

func inOrder(a, b Issue) int {
	return cmp.Or(cmp.Compare(Priority(a), Priority(b)), cmp.Compare(a.Number, b.Number))
}

// Priority returns 0 to 3, smaller is more urgent.
func Priority(i Issue) int {
	best := -1
	for _, l := range i.Labels {
		if len(l) == 2 && (l[0] == 'p' || l[0] == 'P') && l[1] >= '0' && l[1] <= '3' {
			if p := int(l[1] - '0'); best < 0 || p < best {
				best = p
			}
		}
	}
	if best < 0 {
		return middle
	}
	return best
}

// Has reports whether an issue has a label. Trackers ignore the case of labels.
func (i Issue) Has(label string) bool {
	return slices.ContainsFunc(i.Labels, func(l string) bool { return strings.EqualFold(l, label) })
}

// StillOpen returns a function that asks a tracker whether an issue is open, once per issue; a
// missing one is not. If unknown, it counts as open: better to hold back an issue that waits for
// it.
func StillOpen(ctx context.Context, t Tracker) func(number int) bool {
	known := map[int]bool{}
	return func(n int) bool {
		open, ok := known[n]
		if !ok {
			i, err := t.Get(ctx, n)
			open = i.Open || err != nil && !Is(err, NotFound)
			known[n] = open
		}
		return open
	}
}
