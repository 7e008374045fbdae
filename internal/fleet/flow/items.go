package flow

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/schedule"
	"warp/internal/core/text"
)

// items indexes the requirements of a fleet by repo#issue.
type items struct {
	all   *[]Item
	index map[string]int
}

// reindex rebuilds the index; call it after removing items.
func (l *items) reindex() {
	l.index = make(map[string]int, len(*l.all))
	for n, i := range *l.all {
		l.index[i.ID()] = n
	}
}

// find returns a requirement. The pointer is valid until the next add.
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

// countUse counts a worker's busy slots, and its drives that wait for the train or an answer.
// Those take no slot as long as there are no more of them than slots.
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

// forget removes the oldest items that are done and merged.
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

// prune bounds the texts for the next history: if they are too long together, the last items lose
// their title and keep only a short result.
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

// A fleet's state is bounded: each history hands it to the next in one payload, and a server
// accepts 2 MB.
const (
	// MostSubmitted limits the requirements in one signal.
	MostSubmitted = 1_000
	mostItems     = 20_000  // not counting the remembered ones
	remembered    = 200     // requirements that are done; of older ones the fleet knows only that they are merged
	mostTitle     = 80      // runes of a title
	mostWhy       = 300     // runes of a reason
	mostText      = 1 << 20 // bytes of all titles and reasons handed to the next history
)

// take finds or adds the item of a submission; nil if it is merged or there is no room.
func (f *fleet) take(ctx workflow.Context, s Submission) *Item {
	id := s.ID()
	if i := f.items.find(id); i != nil {
		return i
	}
	if len(f.Items) >= mostItems+remembered && !f.queue.IsMerged(id) {
		f.Refused++
		return nil
	}
	f.queue.Add(schedule.Requirement{ID: id, Repo: s.Repo, Priority: s.Priority, Arrived: workflow.Now(ctx), Needs: s.Needs})
	if f.queue.IsMerged(id) { // merged so long ago that its item is forgotten
		return nil
	}
	s.Title, s.Scheduled = text.ClipRunes(s.Title, mostTitle), false
	return f.items.add(Item{Submission: s, State: Waits, Since: workflow.Now(ctx)})
}
