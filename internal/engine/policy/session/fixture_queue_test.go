package session

import (
	"context"
	"slices"

	"warp/internal/core/sessionstate"
)

// yardQueue is the queue of a yard, as one session sees it.
type yardQueue struct {
	*yard
	by sessionstate.Holder
}

func (q yardQueue) isTaken(i Item) bool {
	_, taken := q.taken[i.ID]
	return taken
}

func (q yardQueue) Ready(context.Context) ([]Item, int, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	ready := slices.DeleteFunc(slices.Clone(q.items), q.isTaken)
	return ready, len(q.items) - len(ready), nil
}

func (q yardQueue) Claim(_ context.Context, id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	by, taken := q.taken[id]
	if taken && by != q.by {
		return &ClaimedError{ID: id, By: by.String()}
	}
	if !slices.ContainsFunc(q.items, func(i Item) bool { return i.ID == id }) {
		return &ClaimedError{ID: id}
	}
	q.taken[id] = q.by
	return nil
}

func (q yardQueue) Release(_ context.Context, id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.taken[id] == q.by {
		delete(q.taken, id)
	}
	return nil
}

func (q yardQueue) Claims(context.Context) (list []Claim, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for id, by := range q.taken {
		list = append(list, Claim{ID: id, By: by})
	}
	return list, nil
}

func (q yardQueue) Close(_ context.Context, id, _ string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.items = slices.DeleteFunc(q.items, func(i Item) bool { return i.ID == id })
	delete(q.taken, id)
	return nil
}
