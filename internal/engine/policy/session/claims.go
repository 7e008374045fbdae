package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/step"
)

// Claim is a queue's item that a session holds.
type Claim struct {
	ID string
	By sessionstate.Holder
	// Here means that only sessions of this project can hold it, even if the project was moved
	// since.
	Here bool
}

// ClaimedError reports that an item is not free: another session holds it, or it is done.
type ClaimedError struct {
	ID string
	By string // "": it is done or gone
}

func (e *ClaimedError) Error() string {
	if e.By == "" {
		return fmt.Sprintf("%s is done already, or gone", e.ID)
	}
	return fmt.Sprintf("%s is claimed by %s", e.ID, e.By)
}

// Claims releases what a project's sessions hold in queues. Each session notes a claim in a file of
// its folder before making it, so that the next process, finding the session dead, knows where to look.
type Claims struct {
	Store *durable.Store
	Place string // this work tree, as named in holders
	Queue func(by sessionstate.Holder, u sessionstate.Until) (Queue, error)
	// Places are the stores of the project's other work trees.
	Places  func() map[string]*durable.Store
	Process step.Process

	mu sync.Mutex // guards the notes
}

// claimNote is one claim in a session's file.
type claimNote struct {
	Queue string `json:"queue"` // in the syntax of strategies
	ID    string `json:"id"`
}

func claimsFile(store *durable.Store, name string) string {
	return filepath.Join(store.Dir(), filepath.FromSlash(sessionstate.Dir(name)), "claims.json")
}

func readClaims(store *durable.Store, name string) (list []claimNote, err error) {
	text, err := durable.ReadPlain(claimsFile(store, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && json.Unmarshal(text, &list) != nil {
		list = nil // torn: the queue itself still knows who holds what
	}
	return list, err
}

// editNotes rewrites a session's notes. The file is emptied, never removed: the guard of another
// run would restore a missing file.
func (c *Claims) editNotes(name string, fn func([]claimNote) []claimNote) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	was, err := readClaims(c.Store, name)
	if err != nil {
		return fmt.Errorf("reading what the session %s has claimed: %w", name, err)
	}
	now := fn(slices.Clone(was))
	if slices.Equal(was, now) {
		return nil
	}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	return durable.RetryBusy(func() error { return durable.WriteNote(claimsFile(c.Store, name), text) })
}

func (c *Claims) noteClaim(name string, u sessionstate.Until, id string) error {
	return c.editNotes(name, func(list []claimNote) []claimNote {
		if n := (claimNote{u.String(), id}); !slices.Contains(list, n) {
			list = append(list, n)
		}
		return list
	})
}

func (c *Claims) dropNote(name string, u sessionstate.Until, id string) error {
	return c.editNotes(name, func(list []claimNote) []claimNote {
		return slices.DeleteFunc(list, func(n claimNote) bool { return n == claimNote{u.String(), id} })
	})
}

// releaseTime limits how long releasing claims may take, even for a stopped session.
const releaseTime = time.Minute

// ReleaseSession releases what a session has claimed, except for the kept items, and returns the
// released ids. The caller holds the session's name. What cannot be released now stays noted.
func (c *Claims) ReleaseSession(ctx context.Context, name string, kept ...string) (ids []string, err error) {
	list, err := readClaims(c.Store, name)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	var errs []error
	for _, n := range list {
		if slices.Contains(kept, n.ID) {
			continue
		}
		if err := c.releaseOne(ctx, name, n); err != nil {
			errs = append(errs, fmt.Errorf("releasing %s, which the session %s had claimed: %w", n.ID, name, err))
			continue
		}
		ids = append(ids, n.ID)
	}
	return ids, errors.Join(errs...)
}

func (c *Claims) releaseOne(ctx context.Context, name string, n claimNote) error {
	u, err := sessionstate.ParseUntil(n.Queue)
	if err != nil {
		return err
	}
	q, err := c.Queue(sessionstate.Holder{Session: name, Place: c.Place}, u)
	if err == nil {
		err = q.Release(ctx, n.ID)
	}
	if err != nil {
		return err
	}
	return c.dropNote(name, u, n.ID)
}

// ReleaseDead releases the claims of sessions that no process runs, and describes them. The session
// named own is left alone; "" means none.
func (c *Claims) ReleaseDead(ctx context.Context, own string) (said []string, err error) {
	entries, err := os.ReadDir(filepath.Join(c.Store.Dir(), filepath.FromSlash(sessionstate.Folder)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var errs []error
	for _, e := range entries {
		if list, err := readClaims(c.Store, e.Name()); err != nil || len(list) == 0 || e.Name() == own || sessionstate.CheckName(e.Name()) != nil {
			continue
		}
		err := step.WhileFree(c.Store, e.Name(), c.Process, func() error {
			ids, err := c.ReleaseSession(ctx, e.Name())
			for _, id := range ids {
				said = append(said, fmt.Sprintf("released %s, which the session %s had claimed", id, e.Name()))
			}
			return err
		})
		errs = append(errs, err)
	}
	return said, errors.Join(errs...)
}

// ReleaseOrphans releases claims that the queue itself lists for this project's dead or deleted
// sessions. The session named own is left alone.
func (c *Claims) ReleaseOrphans(ctx context.Context, u sessionstate.Until, own string) (said []string, err error) {
	q, err := c.Queue(sessionstate.Holder{Session: own, Place: c.Place}, u)
	if err != nil {
		return nil, err
	}
	list, err := q.Claims(ctx)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	stores := map[string]*durable.Store{}
	if c.Places != nil {
		stores = c.Places()
	}
	stores[c.Place] = c.Store
	me := sessionstate.Holder{Place: c.Place}
	var errs []error
	for _, claim := range list {
		if !claim.Here && claim.By.Project() != me.Project() || claim.By == (sessionstate.Holder{Session: own, Place: c.Place}) {
			continue // another clone's sessions are not visible from here
		}
		giveBack := func() error {
			of, err := c.Queue(claim.By, u)
			if err == nil {
				err = of.Release(ctx, claim.ID)
			}
			if err == nil {
				said = append(said, fmt.Sprintf("released %s, which the session %s had claimed", claim.ID, claim.By.Session))
			}
			return err
		}
		if store := stores[claim.By.Place]; store != nil {
			errs = append(errs, step.WhileFree(store, claim.By.Session, c.Process, giveBack))
		} else {
			errs = append(errs, giveBack()) // its work tree is gone
		}
	}
	return said, errors.Join(errs...)
}
