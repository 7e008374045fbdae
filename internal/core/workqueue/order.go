package workqueue

import (
	"cmp"
	"slices"
)

// Open counts the items that are not done.
func (q *Queue) Open() (n int) {
	for _, it := range q.Items {
		if it.Status != Done {
			n++
		}
	}
	return n
}

// Urgent tells whether an open item is at least that urgent.
func (q *Queue) Urgent(p Priority) bool {
	return slices.ContainsFunc(q.Items, func(it Item) bool { return it.Status != Done && it.Priority.AtLeast(p) })
}

// Next is what is to be worked on next: at most so many items, all of the most
// urgent priority that there is, in the order in which they stand.
func (q *Queue) Next(most int) []Item {
	list := q.Ordered()
	list = slices.DeleteFunc(list, func(it Item) bool { return it.Status != Pending && it.Status != InProgress })
	for i, it := range list {
		if i >= most || it.Priority != list[0].Priority {
			return list[:i]
		}
	}
	return list
}

// Ordered are all items, the most urgent first, each priority in the order in
// which they stand.
func (q *Queue) Ordered() []Item {
	list := slices.Clone(q.Items)
	slices.SortStableFunc(list, func(a, b Item) int { return cmp.Compare(a.Priority.rank(), b.Priority.rank()) })
	return list
}
