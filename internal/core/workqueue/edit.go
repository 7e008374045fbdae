package workqueue

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/text"
)

// Found is work that something or someone found.
type Found struct {
	Title, Description string
	Priority           Priority // "": S2
	Source             string   // who found it: FromAssess, FromError, FromPerson or a gate
	Files              []string
	Ref                string // identifies the exact occurrence; "" if unknown
}

// Outcome is the result of Add.
type Outcome int

const (
	Refused  Outcome = iota // no title
	Full                    // no room
	Fresh                   // a new item
	Known                   // already an item
	Reopened                // an item that was done
)

// Limits of what is kept.
const (
	MaxItems  = 500
	maxTitle  = 300
	maxText   = 4000
	maxFiles  = 50
	maxSource = 100
)

// Add adds work to the queue. It recognises an item by its title and source; one that was done is
// reopened, unless it was found by the same occurrence as before. The returned item is valid until
// the queue changes.
func (q *Queue) Add(f Found) (*Item, Outcome) {
	f.Title, f.Source = bounded(text.OneLine(f.Title), maxTitle), text.Clip(f.Source, maxSource)
	if f.Title == "" {
		return nil, Refused
	}
	q.Version = Version
	for i := range q.Items {
		if it := &q.Items[i]; it.Unread == "" && it.Source == f.Source && alike(it.Source, it.Title, f.Title) {
			return it, q.again(it, f)
		}
	}
	if !q.room() {
		return nil, Full
	}
	q.reset()
	q.Added = max(q.Added, highestNumber(q.Items)) + 1
	it := Item{ID: fmt.Sprintf("work-%03d", q.Added), Title: f.Title, Status: Pending, AddedIteration: q.Iteration, Source: f.Source}
	it.Priority = cmp.Or(f.Priority.read(), S2)
	it.update(f)
	q.Items = append(q.Items, it)
	return &q.Items[len(q.Items)-1], Fresh
}

// again is Add for an existing item. An open one keeps its priority, which a person may have set.
func (q *Queue) again(it *Item, f Found) Outcome {
	same := f.Ref != "" && f.Ref == it.Ref
	it.update(f)
	if it.Status != Done || same {
		return Known
	}
	q.reset()
	q.Closed = max(0, q.Closed-1)
	it.Status, it.CompletedIteration, it.Reopened = Pending, nil, q.Iteration
	if f.Priority != "" {
		it.Priority = cmp.Or(f.Priority.read(), it.Priority)
	}
	return Reopened
}

// reset restarts the count of passes, as there is work again.
func (q *Queue) reset() {
	q.ConsecutivePasses = 0
	if q.Loop != nil {
		q.Loop.Record.Passes = 0
	}
}

// update copies everything but the title from the finder.
func (it *Item) update(f Found) {
	if f.Description != "" {
		it.Description = text.Clip(f.Description, maxText)
	}
	if len(f.Files) > 0 {
		it.Files = slices.Clone(f.Files[:min(len(f.Files), maxFiles)])
	}
	if f.Ref != "" {
		it.Ref = f.Ref
	}
}

// room drops the oldest done items to make room for one more.
func (q *Queue) room() bool {
	for len(q.Items) >= MaxItems {
		i := slices.IndexFunc(q.Items, func(it Item) bool { return it.Status == Done })
		if i < 0 {
			return false
		}
		q.Items = slices.Delete(q.Items, i, i+1)
	}
	return true
}

// highestNumber returns the largest item number.
func highestNumber(items []Item) (n int) {
	for _, it := range items {
		if d, ok := strings.CutPrefix(it.ID, "work-"); ok {
			if have, err := strconv.Atoi(d); err == nil {
				n = max(n, have)
			}
		}
	}
	return n
}

// UnknownError means that there is no such item.
type UnknownError struct{ ID string }

func (e *UnknownError) Error() string {
	return fmt.Sprintf("there is no item %q; warp queue list --all lists them", e.ID)
}

// Find returns an item by its id as a person types it: work-003, 003 or 3.
func (q *Queue) Find(id string) (*Item, error) {
	want := strings.ToLower(strings.TrimSpace(id))
	if n, err := strconv.Atoi(want); err == nil {
		want = fmt.Sprintf("work-%03d", n)
	}
	for i := range q.Items {
		if q.Items[i].Unread == "" && strings.ToLower(q.Items[i].ID) == want {
			return &q.Items[i], nil
		}
	}
	return nil, &UnknownError{id}
}

// Done marks an item as done in this iteration, if it is not done already.
func (q *Queue) Done(id string) (*Item, error) {
	it, err := q.Find(id)
	if err == nil {
		q.finish(it)
	}
	return it, err
}

func (q *Queue) finish(it *Item) {
	if it.Status != Done {
		n := q.Iteration
		it.Status, it.CompletedIteration, it.Holder = Done, &n, ""
		q.Closed++
	}
}

// Move changes an item's priority, placing it last, or, with before, gives it the position and
// priority of that item.
func (q *Queue) Move(id string, to Priority, before string) (*Item, error) {
	it, err := q.Find(id)
	if err != nil {
		return nil, err
	}
	moved, at := *it, len(q.Items)-1
	others := slices.DeleteFunc(slices.Clone(q.Items), func(o Item) bool { return o.ID == moved.ID && o.Unread == "" })
	if before != "" {
		next, err := q.Find(before)
		if err != nil {
			return nil, err
		}
		if next.ID == moved.ID {
			return nil, fmt.Errorf("%s cannot come before itself", moved.ID)
		}
		if to != "" && to != next.Priority {
			return nil, fmt.Errorf("%s is %s: an item before it cannot be %s", next.ID, next.Priority, to)
		}
		to = next.Priority
		at = slices.IndexFunc(others, func(o Item) bool { return o.ID == next.ID })
	}
	if to.rank() == len(priorities) {
		return nil, fmt.Errorf("%q is not a priority; write S0, S1, S2 or S3", to)
	}
	moved.Priority = to
	q.Items = slices.Insert(others, at, moved)
	return &q.Items[at], nil
}

// alike reports whether two titles from one source mean the same. Test names are compared exactly;
// people and agents are less exact.
func alike(source, a, b string) bool {
	if IsGate(source) {
		return a == b
	}
	return plain(a) == plain(b)
}

func plain(title string) string {
	return strings.TrimRight(strings.ToLower(text.OneLine(title)), " .!…")
}

// bounded shortens a title; a digest of the whole keeps long ones distinct.
func bounded(s string, n int) string {
	if len(s) <= n {
		return s
	}
	h := fnv.New32a()
	h.Write([]byte(s))
	return text.Clip(s, n-9) + fmt.Sprintf(" %08x", h.Sum32())
}
