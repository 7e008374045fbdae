package checkpoint

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// Reason is why a checkpoint is not restored.
type Reason string

const (
	Running    Reason = "running"     // a workflow runs here
	Driven     Reason = "driven"      // a drive is active here
	Busy       Reason = "busy"        // a merge, rebase or similar is in progress
	Branch     Reason = "branch"      // another branch is checked out
	Other      Reason = "other"       // the snapshot belongs to another workflow
	NoCommit   Reason = "no_commit"   // the commit is gone
	NoSnapshot Reason = "no_snapshot" // the snapshot of the state is gone
	InTheWay   Reason = "in_the_way"  // files that could not be kept would be overwritten
	Submodule  Reason = "submodule"   // a nested repository is at another commit
	Unreadable Reason = "unreadable"  // unreadable files cannot be kept
)

// refusedError reports that a checkpoint was not restored, and that nothing was changed.
type refusedError struct {
	N       int
	Reason  Reason
	Why, Do string
	Err     error
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("checkpoint %d is not restored, nothing was changed: %s; %s", e.N, e.Why, e.Do)
}

func (e *refusedError) Unwrap() error { return e.Err }

// InterruptedError reports an unfinished restore: work tree and state may belong to different
// points.
type InterruptedError struct{ N int }

func (e *InterruptedError) Error() string {
	return fmt.Sprintf("restoring checkpoint %d was interrupted: warp checkpoint restore %d completes it", e.N, e.N)
}

// hold takes the lease, so that no workflow runs meanwhile.
func (k Keeper) hold(ctx context.Context, n int) (*step.Lease, error) {
	hold, err := step.Acquire(ctx, k.Store, lease, step.Process{PID: k.PID, Host: k.Host}, func(string, ...any) {})
	if l := (*durable.LockedError)(nil); errors.As(err, &l) {
		err = &refusedError{N: n, Reason: Running, Why: fmt.Sprintf("a workflow is running here (process %d)", l.PID), Do: "run warp workflow pause, then try again", Err: err}
	}
	return hold, err
}

// abortCommands maps files in git's folder that mark an unfinished operation to the command that
// ends it.
var abortCommands = map[string]string{"MERGE_HEAD": "merge --abort", "CHERRY_PICK_HEAD": "cherry-pick --abort", "REVERT_HEAD": "revert --abort",
	"rebase-merge": "rebase --abort", "rebase-apply": "rebase --abort", "BISECT_LOG": "bisect reset"}

// refuseBusy refuses while a drive is active here, or a git operation is unfinished.
func (k Keeper) refuseBusy(n int) error {
	v, err := durable.Open(k.Store, turnstile.StateFile, turnstile.Kind).Read()
	if err != nil && !durable.IsMissing(err) {
		return err
	}
	if err == nil && v.Doc.Phase.Active() {
		return &refusedError{N: n, Reason: Driven, Why: fmt.Sprintf("a drive is active here, #%s in phase %s", v.Doc.Issue(), v.Doc.Phase), Do: "let it finish or run warp stop, then try again",
			Err: &turnstile.ActiveError{Issue: v.Doc.Issue(), Phase: v.Doc.Phase, PID: v.Doc.Session.PID}}
	}
	place, _ := git.Locate(k.Work.Top())
	for file, command := range abortCommands {
		_, err := os.Lstat(filepath.Join(place.GitDir(), file))
		if err == nil {
			what, _, _ := strings.Cut(command, " ")
			return &refusedError{N: n, Reason: Busy, Why: "a " + what + " is under way", Do: "finish it, or «git " + command + "», then try again"}
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// branch returns the branch to move: the workflow's, which must be checked out.
func (k Keeper) branch(t target) (string, error) {
	on, err := k.Work.Repo().Branch()
	want := t.state.Branch
	if err != nil || on != "" && (want == "" || on == want) {
		return on, err
	}
	no := &refusedError{N: t.n, Reason: Branch, Why: "no branch is checked out", Do: "git switch to the workflow's branch, then try again"}
	if want != "" {
		no.Why, no.Do = fmt.Sprintf("the workflow works on %s, and %s is checked out", want, cmp.Or(on, "no branch")), "git switch "+want+", then try again"
		place, _ := git.Locate(k.Work.Top())
		if tip, err := place.Tip(want); err == nil && tip == "" {
			no.Why, no.Do = fmt.Sprintf("the workflow's branch %s is gone", want), fmt.Sprintf("git switch -c %s %s, then try again", want, text.Hash(t.head))
		}
	}
	return "", no
}

// refuseLoss refuses if the restore would overwrite ignored files, which the work tree's own tree
// does not keep.
func (r repository) refuseLoss(ctx context.Context, t target) error {
	out, err := r.must(ctx, git.Call{Args: []string{"ls-tree", "-r", "-z", "--name-only", "--full-tree", t.now.tree}})
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, p := range git.Split(out) {
		known[p] = true
	}
	var links, lost []string
	for _, c := range t.changes {
		switch {
		case c.from == gitlink || c.to == gitlink:
			links = append(links, c.path)
		case c.from == none:
			found, err := r.blocking(ctx, c, known)
			if err != nil {
				return err
			}
			lost = append(lost, found...)
		}
	}
	if len(links) > 0 {
		return &refusedError{N: t.n, Reason: Submodule, Why: "these nested repositories are at other commits than in the checkpoint: " + text.Quote(links, 10), Do: "check out the checkpoint's commits there (warp checkpoint diff shows them), or move them away, then try again"}
	}
	if len(lost) > 0 {
		return &refusedError{N: t.n, Reason: InTheWay, Why: "these ignored files are in the way: " + text.Quote(lost, 10), Do: "move them away, then try again"}
	}
	return nil
}

// blocking lists unknown files where a file is to be written, inside a folder there, or where one
// of its parent folders belongs.
func (r repository) blocking(ctx context.Context, c change, known map[string]bool) (found []string, err error) {
	at, info := "", fs.FileInfo(nil)
	for part := range strings.SplitSeq(c.path, "/") {
		at = path.Join(at, part)
		info, err = os.Lstat(r.file(at))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			break
		}
	}
	if at == c.path && info.Mode().IsRegular() && !known[at] {
		now, err := r.line(ctx, "hash-object", "--path="+at, "--", r.file(at))
		if err != nil || now == c.hash {
			return nil, err
		}
	}
	err = filepath.WalkDir(r.file(at), func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		p, err := filepath.Rel(r.work.Top(), file)
		if p = filepath.ToSlash(p); !known[p] {
			found = append(found, p)
		}
		return err
	})
	return found, err
}
