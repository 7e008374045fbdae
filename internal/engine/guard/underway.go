package guard

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/text"
)

// Names in git's folder that say that something is under way, and what git
// writes beside them; and the locks that a killed git leaves behind.
var (
	underWay = []string{"rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "sequencer", "MERGE_MSG", "MERGE_MODE", "SQUASH_MSG", "AUTO_MERGE", "BISECT_START", "BISECT_LOG"}
	locks    = []string{"index.lock", "HEAD.lock", "packed-refs.lock", "config.lock"}
)

// lockFile is where a lock is, or what says that something is under way: some are
// of all work trees.
func (g *repository) lockFile(name string) string {
	if name == "packed-refs.lock" || name == "config.lock" || strings.HasPrefix(name, "refs/") {
		return filepath.Join(g.place.Common(), filepath.FromSlash(name))
	}
	return filepath.Join(g.place.GitDir(), name)
}

// underWayNow are the names of those that are there.
func (g *repository) underWayNow(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Lstat(g.lockFile(name))
		return err != nil
	})
}

// endUnderWay ends a rebase or a merge that the run began; no file is touched.
func (r *Run) endUnderWay() error {
	if r.Beside {
		return nil // a person may be in the middle of something there
	}
	left := r.g.underWayNow(slices.Clone(underWay)...)
	left = slices.DeleteFunc(left, func(name string) bool { return slices.Contains(r.under, name) })
	for _, name := range left {
		if err := os.RemoveAll(r.g.lockFile(name)); err != nil {
			return err
		}
	}
	if len(left) > 0 {
		r.report(Commit, "", "the agent left something under way in git; it was ended: %s", text.List(left, 5))
	}
	return nil
}

// Another's git may hold a lock for a moment: it is looked at again and again.
const (
	lookAgain = 20 * time.Millisecond
	lookTimes = 25
)

// unlock removes locks that no process holds any more: the run's are gone.
func (r *Run) unlock(ctx context.Context) error {
	names := slices.Clone(locks)
	for _, ref := range r.Refs {
		names = append(names, ref+".lock")
	}
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(r.under, name) })
	for range lookTimes {
		if names = r.g.underWayNow(names...); len(names) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookAgain):
		}
	}
	for _, name := range r.g.underWayNow(names...) {
		if err := os.Remove(r.g.lockFile(name)); err != nil {
			return err
		}
		r.report(Commit, "", "the agent left git locked; it is unlocked: %s", name)
	}
	return nil
}
