package workqueue

import (
	"cmp"
	"slices"
	"strings"
)

// Open counts the items that are not done. What is kept apart is not waited for.
func (q *Queue) Open() (n int) {
	for _, it := range q.Items {
		if it.Status != Done && !it.apart() {
			n++
		}
	}
	return n
}

// Urgent are the open items that are at least that urgent, the most urgent first;
// none where p is not a priority.
func (q *Queue) Urgent(p Priority) []Item {
	return slices.DeleteFunc(q.Ordered(), func(it Item) bool {
		return it.Status == Done || it.apart() || !slices.Contains(priorities, p) || !it.Priority.AtLeast(p)
	})
}

// Next is what is to be worked on next: at most so many items, all of the most
// urgent priority that there is, in the order in which they stand.
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

// Finished are the titles of the items that were done last, at most so many;
// what gates found is theirs to find again.
func (q *Queue) Finished(most int) (titles []string) {
	for _, it := range q.Items {
		if it.Status == Done && !IsGate(it.Source) {
			titles = append(titles, it.Title)
		}
	}
	return titles[max(0, len(titles)-most):]
}

// Text is all that is known of what an item is about.
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

// TakeUp marks what is next as being worked on, and nothing else; the event says
// whether there is any.
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

// Ordered are all items that can be read, the most urgent first, each priority in the
// order in which they stand.
func (q *Queue) Ordered() []Item {
	list := slices.DeleteFunc(slices.Clone([]Item(q.Items)), func(it Item) bool { return it.Unread != "" })
	slices.SortStableFunc(list, func(a, b Item) int { return cmp.Compare(a.Priority.read().rank(), b.Priority.read().rank()) })
	return list
}

// IDs are those of some items.
func IDs(items []Item) (list []string) {
	for _, it := range items {
		list = append(list, it.ID)
	}
	return list
}
