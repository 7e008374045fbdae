package session

import (
	"context"
	"encoding/json"
	"errors"
	"sync"

	"warp/internal/core/sessionstate"
	"warp/internal/engine/step"
)

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
