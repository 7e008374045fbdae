package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/text"
	"warp/internal/engine/agent"
)

// mostTries is how often an item is given to agents that do not finish it.
const mostTries = 3

// describeLeftovers describes what an empty queue leaves undone.
func describeLeftovers(given, held int) string {
	why := "nothing is ready"
	if given > 0 {
		why = fmt.Sprintf("%s tried %d times and not done", text.Count(given, "item"), mostTries)
	}
	if held > 0 {
		why += fmt.Sprintf("; waiting for something else: %d", held)
	}
	return why
}

// dropExhaustedItems leaves out the items that were tried often enough.
func (r *run) dropExhaustedItems(list []Item) []Item {
	s := r.doc.Now()
	return slices.DeleteFunc(slices.Clone(list), func(i Item) bool { return s.Tried(i.ID, isBlameless) >= mostTries })
}

// isBlameless reports whether a run failed through no fault of its agent.
func isBlameless(end string) bool {
	return end != "" && !agent.Result{End: agent.End(end)}.Spends()
}

// nextItem returns the item for a new iteration; nil without a queue.
func (b *iterating) nextItem(ctx context.Context) (*Item, error) {
	if b.queue == nil {
		return nil, nil
	}
	ready, _, err := b.queue.Ready(ctx)
	if err != nil {
		return nil, err
	}
	if item := b.run.held.pickItem(b.run.dropExhaustedItems(ready)); item != nil {
		return item, nil
	}
	return nil, errNothingToDo
}

// claimItem claims an iteration's item after recording the iteration: a claimed item is no longer
// ready, and would be lost if the session were killed in between. An item that another session took
// while this one was dead is left to that one.
func (b *iterating) claimItem(ctx context.Context, item *Item) error {
	if _, answered := b.taker.Memory.Answers[iterateStep]; answered || item == nil {
		return nil
	}
	held := b.run.held
	if err := held.claims.noteClaim(b.run.Name, b.until, item.ID); err != nil {
		return err
	}
	b.run.Passed("claim_noted")
	err := b.queue.Claim(ctx, item.ID)
	if taken, is := errors.AsType[*ClaimedError](err); is {
		b.run.remark("%v", taken)
		b.unit.dropMemory()
		b.run.held.unpickItem(item.ID)
		if err := held.claims.dropNote(b.run.Name, b.until, item.ID); err != nil {
			return err
		}
		return errNothingToDo
	}
	if err == nil {
		b.run.Passed("item_claimed")
	}
	return err
}

// closeItem closes a finished item, or releases an unfinished one.
func (b *iterating) closeItem(ctx context.Context, item *Item, done bool, out *Outcome) error {
	if item == nil {
		return nil
	}
	defer b.run.held.unpickItem(item.ID)
	if !done {
		if err := b.queue.Release(ctx, item.ID); err != nil {
			return err
		}
		b.run.Passed("item_released")
		return b.run.held.claims.dropNote(b.run.Name, b.until, item.ID)
	}
	if err := b.queue.Close(ctx, item.ID, fmt.Sprintf("done by the session %s: %s", b.run.Name, out.Row.Summary)); err != nil {
		return err
	}
	out.Row.Items = []string{item.ID}
	b.run.Passed("item_closed")
	return b.run.held.claims.dropNote(b.run.Name, b.until, item.ID)
}
