// Package claim is the protocol by which tasks that run side by side keep out
// of each other's files: the document locks.json, in which a task claims the
// paths that it may change. It guarantees that the claims of two living tasks
// never overlap, where overlapping is judged on the safe side. A claim lives for
// its lease and has to be renewed; what is stale blocks no task. Storing
// the document, and what a task does that has to wait, is left to others.
package claim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/lossless"
)

// File is where the document stands, under the store's folder.
const File = "locks.json"

// DocumentName is the name of the document in the journal.
const DocumentName = "locks"

// Locks is the document.
type Locks struct {
	Locks []Lock `json:"locks"`
}

// Lock is the claim of one task. No paths are all paths.
type Lock struct {
	lossless.Origin
	Task    string   `json:"task"`
	Holder  string   `json:"holder"` // the process that works on the task
	Paths   []string `json:"paths"`  // paths and globs; a folder is all that is in it
	Claimed string   `json:"claimed"`
	Renewed string   `json:"renewed"`
	Expires string   `json:"expires"`
}

// Living tells whether the lease still runs. One that cannot be read does not.
func (l *Lock) Living(now time.Time) bool {
	t, err := time.Parse(time.RFC3339, l.Expires)
	return err == nil && now.Before(t)
}

// Conflict is the error of a claim that another one stands in the way of.
type Conflict struct {
	Task string
	With Lock
	Path string // what both claim, as the refused one spells it; "" for everything
}

func (c *Conflict) Error() string {
	what := "everything"
	switch {
	case c.With.Task == c.Task:
		return fmt.Sprintf("task %s is %s's until %s", c.Task, c.With.Holder, c.With.Expires)
	case c.Path != "":
		what = fmt.Sprintf("%q", c.Path)
	}
	return fmt.Sprintf("task %s cannot claim %s: task %s holds it until %s", c.Task, what, c.With.Task, c.With.Expires)
}

// Claim grants a task its paths, or refuses them with a *Conflict and leaves
// what it had. A task that claims again gets the new paths in place of the old
// ones; one that a living holder works on already is refused to every other.
func (l *Locks) Claim(task, holder string, paths []string, now time.Time, lease time.Duration) error {
	for _, o := range l.Locks {
		if !o.Living(now) || o.Task == task && o.Holder == holder {
			continue
		}
		if path, overlap := shared(paths, o.Paths); overlap || o.Task == task {
			return &Conflict{task, o, path}
		}
	}
	granted := Lock{Task: task, Holder: holder, Paths: slices.Clone(paths), Claimed: stamp(now), Renewed: stamp(now), Expires: stamp(now.Add(lease))}
	if at := l.find(task, holder); at >= 0 {
		granted.Origin = l.Locks[at].Origin
		if l.Locks[at].Living(now) {
			granted.Claimed = l.Locks[at].Claimed
		}
	}
	l.Locks = slices.DeleteFunc(l.Locks, func(o Lock) bool { return !o.Living(now) || o.Task == task })
	l.Locks = append(l.Locks, granted)
	return nil
}

// Renew gives a claim a new lease. It is false for one that is gone or stale:
// the task must claim again before it goes on.
func (l *Locks) Renew(task, holder string, now time.Time, lease time.Duration) bool {
	at := l.find(task, holder)
	if at < 0 || !l.Locks[at].Living(now) {
		return false
	}
	l.Locks[at].Renewed, l.Locks[at].Expires = stamp(now), stamp(now.Add(lease))
	return true
}

// Release gives a claim back, and tells whether there was one.
func (l *Locks) Release(task, holder string) bool {
	at := l.find(task, holder)
	if at >= 0 {
		l.Locks = slices.Delete(l.Locks, at, at+1)
	}
	return at >= 0
}

// Sweep takes away what is stale, and what is held by processes that are gone,
// and returns it.
func (l *Locks) Sweep(now time.Time, gone func(holder string) bool) (swept []Lock) {
	l.Locks = slices.DeleteFunc(l.Locks, func(o Lock) bool {
		stale := !o.Living(now) || gone(o.Holder)
		if stale {
			swept = append(swept, o)
		}
		return stale
	})
	return swept
}

// Others are the paths that living tasks besides one have claimed.
func (l *Locks) Others(task string, now time.Time) (paths []string) {
	for _, o := range l.Locks {
		switch {
		case o.Task == task || !o.Living(now):
		case len(o.Paths) == 0:
			paths = append(paths, everything)
		default:
			paths = append(paths, o.Paths...)
		}
	}
	return paths
}

// Validate says why a document cannot be one of locks, or nil. Leases that
// cannot be read are stale, which is not a reason to refuse it.
func Validate(l *Locks) error {
	for i, o := range l.Locks {
		if strings.TrimSpace(o.Task) == "" {
			return fmt.Errorf("locks[%d].task is missing", i)
		}
	}
	return nil
}

func (l *Locks) find(task, holder string) int {
	return slices.IndexFunc(l.Locks, func(o Lock) bool { return o.Task == task && o.Holder == holder })
}

// stamp prints a time in whole seconds, as these documents do.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
