package workqueue

import (
	"cmp"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// Open counts the items that are not done. Items set aside do not count.
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

// Free reports whether an item can be taken: it is open, and no session holds it. One in progress
// without a holder was left by a loop that ended.
func (it Item) Free() bool {
	return (it.Status == Pending || it.Status == InProgress) && it.Holder == "" && !it.apart()
}

// Claim assigns an item to a session and reports whether it has it now; otherwise by is the holder,
// "" if the item is done.
func (q *Queue) Claim(id, holder string) (ok bool, by string, err error) {
	it, err := q.Find(id)
	if err != nil {
		return false, "", err
	}
	if it.Free() || it.Holder == holder {
		it.Status, it.Holder = InProgress, holder
		return true, holder, nil
	}
	return false, it.Holder, nil
}

// Return gives back an item that a session claimed; other items stay unchanged.
func (q *Queue) Return(id, holder string) error {
	it, err := q.Find(id)
	if err == nil && it.Holder == holder {
		it.Status, it.Holder = Pending, ""
	}
	return err
}

// Priority is how urgent an item is; S0 is the most urgent.
type Priority string

const (
	S0 Priority = "S0"
	S1 Priority = "S1"
	S2 Priority = "S2"
	S3 Priority = "S3"
)

// priorities are in order, most urgent first.
var priorities = []Priority{S0, S1, S2, S3}

var spellings = lazy.Table[string, Priority]{
	{"S0", S0}, {"P0", S0}, {"CRITICAL", S0}, {"BLOCKER", S0},
	{"S1", S1}, {"P1", S1}, {"HIGH", S1}, {"MAJOR", S1},
	{"S2", S2}, {"P2", S2}, {"MEDIUM", S2}, {"NORMAL", S2}, {"MODERATE", S2},
	{"S3", S3}, {"P3", S3}, {"S4", S3}, {"P4", S3}, {"LOW", S3}, {"MINOR", S3}, {"INFO", S3},
}

// ParsePriority reads a priority as people and agents write it: S1, s1, P1 or "high", ignoring
// words after it; ok is false for anything else.
func ParsePriority(s string) (p Priority, ok bool) {
	for word := range strings.FieldsFuncSeq(strings.ToUpper(s), func(r rune) bool { return r < '0' || r > '9' && r < 'A' || r > 'Z' }) {
		p, ok = spellings.Find(word)
		break
	}
	return p, ok
}

// rank orders priorities; invalid ones come last.
func (p Priority) rank() int {
	if i := slices.Index(priorities, p); i >= 0 {
		return i
	}
	return len(priorities)
}

// read normalises a priority from people and other tools: S2 if empty, "" if unreadable.
func (p Priority) read() Priority {
	if p == "" {
		return S2
	}
	known, _ := ParsePriority(string(p))
	return known
}

// AtLeast reports whether p is as urgent as q, or more.
func (p Priority) AtLeast(q Priority) bool { return p.read().rank() <= q.rank() }
