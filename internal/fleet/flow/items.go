package flow

import (
	"slices"

	"warp/internal/core/text"
)

// items are the requirements of a fleet, which finds them by repo#issue.
type items struct {
	all   *[]Item
	index map[string]int
}

// reindex is due whenever items have been forgotten.
func (l *items) reindex() {
	l.index = make(map[string]int, len(*l.all))
	for n, i := range *l.all {
		l.index[i.ID()] = n
	}
}

// find finds a requirement. What it gives is valid until the next is added.
func (l *items) find(id string) *Item {
	if n, known := l.index[id]; known {
		return &(*l.all)[n]
	}
	return nil
}

func (l *items) add(i Item) *Item {
	l.index[i.ID()] = len(*l.all)
	*l.all = append(*l.all, i)
	return &(*l.all)[len(*l.all)-1]
}

// countUse is how many of a worker's slots work, and how many drives wait there for the
// train or an answer: those take no slot, as long as they are no more than there are slots.
func (l *items) countUse(worker string) (used, resting int) {
	for _, i := range *l.all {
		switch {
		case i.State != Runs || i.Worker != worker:
		case i.Resting:
			resting++
		default:
			used++
		}
	}
	return used, resting
}

// forget forgets the oldest of those that are done and merged.
func (l *items) forget(isMerged func(id string) bool) {
	done := 0
	for _, i := range *l.all {
		if i.State == Done {
			done++
		}
	}
	before := len(*l.all)
	*l.all = slices.DeleteFunc(*l.all, func(i Item) bool {
		if done <= remembered || i.State != Done || !isMerged(i.ID()) {
			return false
		}
		done--
		return true
	})
	if len(*l.all) < before {
		l.reindex()
	}
}

// prune bounds the texts that are handed on: where they are too long together, the last
// items go on without a title and with the result alone.
func (l *items) prune() {
	room := mostText
	for n := range *l.all {
		i := &(*l.all)[n]
		room -= len(i.Title) + len(i.Why)
		if o := i.Outcome; o != nil {
			room -= len(o.Why) + len(o.Do)
		}
		if room >= 0 {
			continue
		}
		i.Title, i.Why = "", text.ClipRunes(i.Why, mostTitle/2)
		if i.Outcome != nil {
			bare := *i.Outcome
			bare.Why, bare.Do, bare.Limited = i.Why, "", nil
			i.Outcome = &bare
		}
	}
}
