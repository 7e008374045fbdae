package workqueue

import (
	"cmp"
	"slices"
	"strings"
)

// Open counts the items that are not done. Items kept apart do not count.
func (q *Queue) Open() (n int) {
	for _, it := range q.Items {
		if it.Status != Done && !it.apart() {
			n++
		}
	}
	return n
}

// Urgent returns the open items of at least that priority, most urgent first; none if p is no
// priority.
func (q *Queue) Urgent(p Priority) []Item {
	return slices.DeleteFunc(q.Ordered(), func(it Item) bool {
		return it.Status == Done || it.apart() || !slices.Contains(priorities, p) || !it.Priority.AtLeast(p)
	})
}

// Next returns what to work on next: at most that many items, all of the highest priority present,
// in order.
func (q *Queue) Next(most int) []Item {
	list := q.Ordered()
	list = slices.DeleteFunc(list, func(it Item) bool { return !it.Free() })
	for i, it := range list {
		if i >= most || it.Priority.read() != list[0].Priority.read() {
			return list[:i]
		}
	}
	return list
}

// Finished returns the titles of the items done last, at most that many, without those that gates
// find again themselves.
func (q *Queue) Finished(most int) (titles []string) {
	for _, it := range q.Items {
		if it.Status == Done && !IsGate(it.Source) {
			titles = append(titles, it.Title)
		}
	}
	return titles[max(0, len(titles)-most):]
}

// Text returns everything known about an item's work.
func (it Item) Text() string {
	text := it.Title
	if it.Description != "" {
		text += "\n\n" + it.Description
	}
	if len(it.Files) > 0 {
		text += "\n\nFiles: " + strings.Join(it.Files, ", ")
	}
	return text
}

// TakeUp marks only the next items as in progress. The event tells whether there are any.
func (q *Queue) TakeUp(most int) Event {
	next := q.Next(most)
	for i := range q.Items {
		it := &q.Items[i]
		switch {
		case slices.ContainsFunc(next, func(n Item) bool { return n.ID == it.ID }):
			it.Status = InProgress
		case it.Status == InProgress && it.Holder == "":
			it.Status = Pending
		}
	}
	if len(next) == 0 {
		return NothingToDo
	}
	return ItemsChosen
}

// Ordered returns all readable items by priority, keeping their order within each.
func (q *Queue) Ordered() []Item {
	list := slices.DeleteFunc(slices.Clone([]Item(q.Items)), func(it Item) bool { return it.Unread != "" })
	slices.SortStableFunc(list, func(a, b Item) int { return cmp.Compare(a.Priority.read().rank(), b.Priority.read().rank()) })
	return list
}

func IDs(items []Item) (list []string) {
	for _, it := range items {
		list = append(list, it.ID)
	}
	return list
}
