package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/evidence"
	"warp/internal/core/session"
	"warp/internal/engine/agent"
)

// mostTries is how often an item is given to an agent that does not finish it.
const mostTries = 3

// left says what an empty queue leaves undone.
func left(given, held int) string {
	why := "nothing is ready"
	if given > 0 {
		why = fmt.Sprintf("%s tried %d times and not done", evidence.Count(given, "item"), mostTries)
	}
	if held > 0 {
		why += fmt.Sprintf("; waiting for something else: %d", held)
	}
	return why
}

// fresh leaves out the items that were tried often enough.
func (r *run) fresh(list []Item) []Item {
	s := r.doc.Now()
	return slices.DeleteFunc(slices.Clone(list), func(i Item) bool { return s.Tried(i.ID, isBlameless) >= mostTries })
}

// isBlameless tells whether a run ended through no fault of its agent's.
func isBlameless(end string) bool {
	return end != "" && !agent.Result{End: agent.End(end)}.Spends()
}

// next is the item of a new iteration; nil: there is no queue.
func (b *iterating) next(ctx context.Context) (*Item, error) {
	if b.queue == nil {
		return nil, nil
	}
	ready, _, err := b.queue.Ready(ctx)
	if err != nil {
		return nil, err
	}
	if item := b.run.pick(b.run.fresh(ready)); item != nil {
		return item, nil
	}
	return nil, errNothingToDo
}

// pick takes the first item that no stage beside this one has: of one session they
// claim in the same name.
func (r *run) pick(ready []Item) *Item {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.picked == nil {
		r.picked = map[string]bool{}
	}
	for _, i := range ready {
		if !r.picked[i.ID] {
			r.picked[i.ID] = true
			return &i
		}
	}
	return nil
}

// unpick lets another stage take an item that was not done.
func (r *run) unpick(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.picked, id)
}

// claim claims the item of an iteration after it is on record whose it is: one that
// is claimed is not ready any more, and would be lost with whoever is killed in
// between. An item that somebody else has taken meanwhile, while this session was dead,
// is left to them.
func (b *iterating) claim(ctx context.Context, item *Item) error {
	if _, answered := b.taker.Memory.Answers[iterate]; answered || item == nil {
		return nil
	}
	claims := b.run.Claims
	if err := claims.note(b.run.Name, b.until, item.ID); err != nil {
		return err
	}
	b.run.Passed("claim_noted")
	err := b.queue.Claim(ctx, item.ID)
	var taken *ClaimedError
	if errors.As(err, &taken) {
		b.run.remark("%v", taken)
		b.unit.forget()
		b.run.unpick(item.ID)
		if err := claims.forget(b.run.Name, b.until, item.ID); err != nil {
			return err
		}
		return errNothingToDo
	}
	if err == nil {
		b.run.Passed("item_claimed")
	}
	return err
}

// close closes an item that is done; one that is not can be taken again.
func (b *iterating) close(ctx context.Context, item *Item, done bool, out *Outcome) error {
	if item == nil {
		return nil
	}
	defer b.run.unpick(item.ID)
	if !done {
		if err := b.queue.Release(ctx, item.ID); err != nil {
			return err
		}
		b.run.Passed("item_released")
		return b.run.Claims.forget(b.run.Name, b.until, item.ID)
	}
	if err := b.queue.Close(ctx, item.ID, fmt.Sprintf("done by the session %s: %s", b.run.Name, out.Row.Summary)); err != nil {
		return err
	}
	out.Row.Items = []string{item.ID}
	b.run.Passed("item_closed")
	return b.run.Claims.forget(b.run.Name, b.until, item.ID)
}

// queue opens the queue of a strategy, in the name of the session.
func (r *run) queue(u session.Until) (Queue, error) {
	return r.Claims.Queue(session.Holder{Session: r.Name, Place: r.Claims.Place}, u)
}

// returnClaims gives back what dead sessions hold, and what this one held before. A
// queue that cannot be asked now keeps nobody from working.
func (r *run) returnClaims(ctx context.Context) {
	if r.Claims == nil {
		return
	}
	said, err := r.Claims.ReturnDead(ctx, r.Name)
	ids, err2 := r.Claims.Return(ctx, r.Name, r.itemsInProgress()...)
	for _, id := range ids {
		said = append(said, id+", which this session had claimed, is given back")
	}
	errs := []error{err, err2}
	seen := map[session.Until]bool{}
	for _, u := range r.files.units {
		until, err := session.ParseUntil(u.stage.Until)
		if err != nil || until.Kind != session.Queue || seen[until] {
			continue
		}
		seen[until] = true
		more, err := r.Claims.Sweep(ctx, until, r.Name)
		said, errs = append(said, more...), append(errs, err)
	}
	for _, line := range said {
		r.remark("%s", line)
	}
	if err := errors.Join(errs...); err != nil {
		r.remark("not all that dead sessions have claimed could be given back: %v", err)
	}
}

// itemsInProgress are the items of iterations that were begun and not recorded.
func (r *run) itemsInProgress() (ids []string) {
	v, err := r.doc.Doc.Read()
	if err != nil || v.Doc.Status != session.Running {
		return nil
	}
	for i, u := range r.files.units {
		number, again := v.Doc.Resumable(i)
		if !again {
			continue
		}
		m, err := u.memory(r.Store, number)
		var o opening
		if err == nil && json.Unmarshal([]byte(m.Facts[opened]), &o) == nil && o.Item != nil {
			ids = append(ids, o.Item.ID)
		}
	}
	return ids
}

// endClaims gives back all that the session still holds, however it ends.
func (r *run) endClaims(ctx context.Context) {
	if r.Claims == nil {
		return
	}
	if _, err := r.Claims.Return(ctx, r.Name); err != nil {
		r.remark("%v; the next session does it", err)
	}
}
