package flow

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"warp/internal/core/schedule"
	"warp/internal/core/text"
)

// What a fleet keeps is bounded: it is handed from one history to the next in one payload,
// and a server takes 2 MB.
const (
	// MostSubmitted is how many requirements one signal carries.
	MostSubmitted = 1_000
	mostItems     = 20_000  // besides those that are remembered
	remembered    = 200     // that are done; of the others a fleet knows that they are merged
	mostTitle     = 80      // runes of a title
	mostWhy       = 300     // runes of a reason
	mostText      = 1 << 20 // bytes of all titles and reasons that are handed on
)

// reindex is due whenever items have been forgotten.
func (f *fleet) reindex() {
	f.index = make(map[string]int, len(f.Items))
	for n, i := range f.Items {
		f.index[i.ID()] = n
	}
}

// take finds the item of a submission, or makes it; nil: it is merged, or there is no room.
func (f *fleet) take(ctx workflow.Context, s Submission) *Item {
	id := s.ID()
	if i := f.item(id); i != nil {
		return i
	}
	if len(f.Items) >= mostItems+remembered && !f.queue.IsMerged(id) {
		f.Refused++
		return nil
	}
	f.queue.Add(schedule.Requirement{ID: id, Repo: s.Repo, Priority: s.Priority, Arrived: workflow.Now(ctx), Needs: s.Needs})
	if f.queue.IsMerged(id) { // so long ago that its item is forgotten
		return nil
	}
	s.Title = text.ClipRunes(s.Title, mostTitle)
	f.index[id] = len(f.Items)
	f.Items = append(f.Items, Item{Submission: s, State: Waits, Since: workflow.Now(ctx)})
	return &f.Items[len(f.Items)-1]
}

func (f *fleet) forget() {
	done := 0
	for _, i := range f.Items {
		if i.State == Done {
			done++
		}
	}
	before := len(f.Items)
	f.Items = slices.DeleteFunc(f.Items, func(i Item) bool {
		if done <= remembered || i.State != Done || !f.queue.IsMerged(i.ID()) {
			return false
		}
		done--
		return true
	})
	if len(f.Items) < before {
		f.reindex()
	}
}

// prune bounds the texts that are handed on: where they are too long together, the last
// items go on without a title and with the result alone.
func (f *fleet) prune() {
	room := mostText
	for n := range f.Items {
		i := &f.Items[n]
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
