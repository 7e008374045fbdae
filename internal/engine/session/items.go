package session

import (
	"context"
	"fmt"
	"slices"
)

// mostTries is how often an item is given to an agent that does not finish it.
const mostTries = 3

// fresh leaves out the items that were tried often enough.
func (r *run) fresh(list []Item) []Item {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(list), func(i Item) bool { return r.tried[i.ID] >= mostTries })
}

// finish closes an item that is done, or counts that it is not.
func (b *iterating) finish(ctx context.Context, item Item, done bool, out *Outcome) error {
	if !done {
		return b.giveBack(ctx, &item)
	}
	if err := b.queue.Close(ctx, item.ID, fmt.Sprintf("done by the session %s: %s", b.Name, out.Row.Summary)); err != nil {
		return err
	}
	out.Row.Items = []string{item.ID}
	b.passed("item_closed")
	return nil
}

// giveBack counts that an item was tried, and lets it be taken again.
func (b *iterating) giveBack(ctx context.Context, item *Item) error {
	if item == nil {
		return nil
	}
	b.mu.Lock()
	b.tried[item.ID]++
	b.mu.Unlock()
	return b.queue.Release(ctx, item.ID)
}
