package flow

import (
	"go.temporal.io/sdk/workflow"

	"warp/internal/core/schedule"
	"warp/internal/core/text"
)

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
