package flow

import (
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

// take finds the item of a submission, or makes it; nil: it is merged, or there is no room.
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
	if f.queue.IsMerged(id) { // so long ago that its item is forgotten
		return nil
	}
	s.Title = text.ClipRunes(s.Title, mostTitle)
	return f.items.add(Item{Submission: s, State: Waits, Since: workflow.Now(ctx)})
}
