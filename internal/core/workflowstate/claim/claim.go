// Package claim keeps concurrent tasks out of each other's files: in the document locks.json a task
// claims the paths that it may change. The claims of two living tasks never overlap, judged
// conservatively. A claim lasts for its lease and must be renewed; a stale one blocks nothing.
// Other packages store the document, and decide what a waiting task does.
package claim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/lossless"
)

// File is the document's path under the store's folder.
const File = "locks.json"

// DocumentName is the document's name in the journal.
const DocumentName = "locks"

type Locks struct {
	Locks []Lock `json:"locks"`
}

// Lock is the claim of one task. Without paths it claims everything.
type Lock struct {
	lossless.Origin
	Task    string   `json:"task"`
	Holder  string   `json:"holder"` // the process that works on the task
	Paths   []string `json:"paths"`  // paths and globs; a folder includes everything in it
	Claimed string   `json:"claimed"`
	Renewed string   `json:"renewed"`
	Expires string   `json:"expires"`
}

// Living reports whether the lease is still valid. An unreadable one is not.
func (l *Lock) Living(now time.Time) bool {
	t, err := time.Parse(time.RFC3339, l.Expires)
	return err == nil && now.Before(t)
}

// Conflict is the error of a claim that another one prevents.
type Conflict struct {
	Task string
	With Lock
	Path string // what both claim, as the refused task spells it; "" for everything
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

// Claim grants a task its paths, or refuses them with a *Conflict and keeps what it had. A task
// that claims again gets the new paths instead of the old ones; a task of one living holder is
// refused to any other.
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

// Renew extends a claim's lease. It returns false if the claim is gone or stale: the task must
// claim again before it continues.
func (l *Locks) Renew(task, holder string, now time.Time, lease time.Duration) bool {
	at := l.find(task, holder)
	if at < 0 || !l.Locks[at].Living(now) {
		return false
	}
	l.Locks[at].Renewed, l.Locks[at].Expires = stamp(now), stamp(now.Add(lease))
	return true
}

// Release gives back a claim, and reports whether there was one.
func (l *Locks) Release(task, holder string) bool {
	at := l.find(task, holder)
	if at >= 0 {
		l.Locks = slices.Delete(l.Locks, at, at+1)
	}
	return at >= 0
}

// Sweep removes and returns stale claims, and those of processes that are gone.
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

// Others returns the paths that other living tasks have claimed.
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

// Validate returns why a document is not valid. Unreadable leases are stale, which is no reason to
// refuse it.
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

// stamp formats a time as these documents do: UTC, in seconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
