package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
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

// heldItems manages what a running session holds in queues.
type heldItems struct {
	name   string
	claims *Claims // nil: no queues
	files  *files
	doc    *step.Document[sessionstate.State]
	remark func(format string, args ...any)

	mu     sync.Mutex
	picked map[string]bool // items that a stage is working on
}

func newHeldItems(r *run) *heldItems {
	return &heldItems{name: r.Name, claims: r.Claims, files: r.files, doc: r.doc, remark: r.remark, picked: map[string]bool{}}
}

// queue opens the queue of a strategy for the session.
func (h *heldItems) queue(u sessionstate.Until) (Queue, error) {
	return h.claims.Queue(sessionstate.Holder{Session: h.name, Place: h.claims.Place}, u)
}

// pickItem takes the first item that no parallel stage has: all stages of a session claim in the
// same name.
func (h *heldItems) pickItem(ready []Item) *Item {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range ready {
		if !h.picked[i.ID] {
			h.picked[i.ID] = true
			return &i
		}
	}
	return nil
}

// unpickItem lets another stage take an unfinished item.
func (h *heldItems) unpickItem(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.picked, id)
}

// releaseStale releases what dead sessions hold, and what this one held before. An unreachable
// queue does not keep the session from working.
func (h *heldItems) releaseStale(ctx context.Context) {
	if h.claims == nil {
		return
	}
	said, err := h.claims.ReleaseDead(ctx, h.name)
	ids, err2 := h.claims.ReleaseSession(ctx, h.name, h.inProgress()...)
	for _, id := range ids {
		said = append(said, id+" is released: this session had claimed it")
	}
	errs := []error{err, err2}
	seen := map[sessionstate.Until]bool{}
	for _, u := range h.files.units {
		until, err := sessionstate.ParseUntil(u.stage.Until)
		if err != nil || until.Kind != sessionstate.Queue || seen[until] {
			continue
		}
		seen[until] = true
		more, err := h.claims.ReleaseOrphans(ctx, until, h.name)
		said, errs = append(said, more...), append(errs, err)
	}
	for _, line := range said {
		h.remark("%s", line)
	}
	if err := errors.Join(errs...); err != nil {
		h.remark("releasing the claims of dead sessions: %v", err)
	}
}

// inProgress returns the items of iterations that were started but not recorded.
func (h *heldItems) inProgress() (ids []string) {
	v, err := h.doc.Doc.Read()
	if err != nil || v.Doc.Status != sessionstate.Running {
		return nil
	}
	for i, u := range h.files.units {
		number, again := v.Doc.Resumable(i)
		if !again {
			continue
		}
		m, err := u.memory(h.files.store, number)
		var o opening
		if err == nil && json.Unmarshal([]byte(m.Facts[openingFact]), &o) == nil && o.Item != nil {
			ids = append(ids, o.Item.ID)
		}
	}
	return ids
}

// releaseAll releases everything the session still holds, however it ends.
func (h *heldItems) releaseAll(ctx context.Context) {
	if h.claims == nil {
		return
	}
	if _, err := h.claims.ReleaseSession(ctx, h.name); err != nil {
		h.remark("%v; the next session does it", err)
	}
}
