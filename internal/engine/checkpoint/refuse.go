package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// Reason is why a checkpoint is not gone back to.
type Reason string

// The reasons.
const (
	Running    Reason = "running"     // a workflow runs here
	Driven     Reason = "driven"      // a drive is active here
	Busy       Reason = "busy"        // a merge, a rebase or the like is under way
	Branch     Reason = "branch"      // another branch is checked out
	Other      Reason = "other"       // the snapshot is another workflow's
	NoCommit   Reason = "no_commit"   // the commit is gone
	NoSnapshot Reason = "no_snapshot" // the snapshot of the state is gone
	InTheWay   Reason = "in_the_way"  // files that could not be kept would be written over
	Submodule  Reason = "submodule"   // a repository inside this one is at another commit
	Unreadable Reason = "unreadable"  // files cannot be read, so they cannot be kept
)

// Refused says that a checkpoint was not gone back to, and that nothing was
// changed.
type Refused struct {
	N       int
	Reason  Reason
	Why, Do string
	Err     error
}

func (e *Refused) Error() string {
	return fmt.Sprintf("checkpoint %d is not restored, nothing was changed: %s; %s", e.N, e.Why, e.Do)
}

// Unwrap returns the error below.
func (e *Refused) Unwrap() error { return e.Err }

// InterruptedError says that a restore was begun and not completed: work tree and
// state may belong to different points.
type InterruptedError struct{ N int }

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("going back to checkpoint %d was interrupted: warp checkpoint restore %d completes it", e.N, e.N)
}

func orInterrupted(err error, n int) error {
	if err == nil {
		err = &InterruptedError{n}
	}
	return err
}

// hold takes the lease, so that no workflow runs meanwhile.
func (k Keeper) hold(n int) (*durable.Lease, error) {
	stamp, _ := proc.Started(k.PID)
	hold, _, err := k.Store.Acquire(Lease, durable.Process{PID: k.PID, Stamp: stamp, Host: k.Host}, proc.Started)
	if l := (*durable.LockedError)(nil); errors.As(err, &l) {
		err = &Refused{N: n, Reason: Running, Why: fmt.Sprintf("a workflow runs here (process %d)", l.PID), Do: "warp workflow pause, then try again", Err: err}
	}
	return hold, err
}

// free refuses while a drive is active here, or git is in the middle of
// something.
func (k Keeper) free(n int) error {
	v, err := durable.Open(k.Store, turnstile.StateFile, turnstile.Kind).Read()
	switch {
	case durable.IsMissing(err):
	case err != nil:
		return err
	case v.Doc.Phase.Active():
		return &Refused{N: n, Reason: Driven, Why: fmt.Sprintf("a drive is active here, #%s in phase %s", v.Doc.Issue(), v.Doc.Phase), Do: "let it end, or warp stop, then try again",
			Err: &turnstile.ActiveError{Issue: v.Doc.Issue(), Phase: v.Doc.Phase, PID: v.Doc.Session.PID}}
	}
	place, _ := git.Locate(k.Work.Top())
	for name, what := range map[string]string{"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert", "rebase-merge": "rebase", "rebase-apply": "rebase", "BISECT_LOG": "bisect"} {
		_, err := os.Lstat(filepath.Join(place.GitDir(), name))
		switch {
		case err == nil && what == "bisect":
			return &Refused{N: n, Reason: Busy, Why: "a bisect is under way", Do: "«git bisect reset», then try again"}
		case err == nil:
			return &Refused{N: n, Reason: Busy, Why: "a " + what + " is under way", Do: "finish it, or «git " + what + " --abort», then try again"}
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// branch is the one that is moved: the workflow's, which must be checked out.
func (k Keeper) branch(t target) (string, error) {
	on, err := k.Work.Repo().Branch()
	want := t.state.Branch
	if err != nil || on != "" && (want == "" || on == want) {
		return on, err
	}
	no := &Refused{N: t.n, Reason: Branch, Why: "no branch is checked out", Do: "git switch to the workflow's, then try again"}
	if want != "" {
		no.Why, no.Do = fmt.Sprintf("the workflow works on %s, and %s is checked out", want, cmp.Or(on, "no branch")), "git switch "+want+", then try again"
		place, _ := git.Locate(k.Work.Top())
		if tip, err := place.Tip(want); err == nil && tip == "" {
			no.Why, no.Do = fmt.Sprintf("the workflow's branch %s is gone", want), fmt.Sprintf("git switch -c %s %s, then try again", want, text.Hash(t.head))
		}
	}
	return "", no
}

// clear refuses when something stands where a file is to be written that is not
// in the work tree's own tree, and so is kept nowhere: what git ignores.
func (k Keeper) clear(ctx context.Context, n int, list []step, tree string) error {
	a, err := k.must(ctx, git.Call{Args: []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", tree}})
	if err != nil {
		return err
	}
	w := way{k: k, known: map[string]bool{}}
	for _, p := range git.Split(a.Stdout) {
		w.known[p] = true
	}
	var links []string
	for _, s := range list {
		if s.from == gitlink || s.to == gitlink {
			links = append(links, s.path)
		} else if s.from == none {
			if err := w.look(ctx, s); err != nil {
				return err
			}
		}
	}
	if len(links) > 0 {
		return &Refused{N: n, Reason: Submodule, Why: "these repositories inside this one are not where they were then: " + text.Quote(links, 10), Do: "check out there what the checkpoint has (warp checkpoint diff shows it), or move them away, then try again"}
	}
	if len(w.found) > 0 {
		return &Refused{N: n, Reason: InTheWay, Why: "these files, which git ignores, are in the way: " + text.Quote(w.found, 10), Do: "move them away, then try again"}
	}
	return nil
}

// way finds what is in it.
type way struct {
	k     Keeper
	known map[string]bool // what the work tree's own tree has
	found []string
}

// look looks at the place of a path that is to be written.
func (w *way) look(ctx context.Context, s step) error {
	parts := strings.Split(s.path, "/")
	for i := range parts {
		p := strings.Join(parts[:i+1], "/")
		info, err := os.Lstat(w.full(p))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.IsDir() && i == len(parts)-1:
			return w.inside(p)
		case info.IsDir():
		case w.known[p]:
			return nil // it is kept, and makes room
		case info.Mode().IsRegular() && i == len(parts)-1:
			now, err := w.k.line(ctx, nil, "hash-object", "--path="+p, "--", w.full(p))
			if err == nil && now != s.hash {
				w.found = append(w.found, p)
			}
			return err
		default:
			w.found = append(w.found, p)
			return nil
		}
	}
	return nil
}

// inside looks into a folder that has to make room for a file.
func (w *way) inside(dir string) error {
	return filepath.WalkDir(w.full(dir), func(full string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		p, err := filepath.Rel(w.k.Work.Top(), full)
		if p = filepath.ToSlash(p); err == nil && !w.known[p] {
			w.found = append(w.found, p)
		}
		return err
	})
}

func (w *way) full(p string) string { return filepath.Join(w.k.Work.Top(), filepath.FromSlash(p)) }
