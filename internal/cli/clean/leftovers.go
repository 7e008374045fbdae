package clean

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/core/drivestate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/engine/guard"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

func (f *finder) git(ctx context.Context, args ...string) ([]byte, error) {
	return git.Repo{Dir: f.main}.Must(ctx, git.Call{Args: args})
}

// landed finds branches that have landed according to the journal, here and on the remote, and
// returns the local ones it has handled.
func (f *finder) landed(ctx context.Context) (decided []string, err error) {
	t, err := tracker.Open(ctx, f.app, f.drive)
	if err != nil {
		return nil, err
	}
	s, err := newSweeper(f.app, f.drive, t)
	if err != nil {
		return nil, err
	}
	list, err := s.Find(ctx)
	for _, b := range list {
		switch {
		case b.Kept == "" && f.keeps:
			f.keep("branch", b.String(), "keep_branches is true")
		case b.Kept == "":
			f.remove("branch", b.String(), b.Why, func(ctx context.Context) error { return s.Remove(ctx, b) })
		case b.Remote == "" && f.whoNeeds(b.Name) == "" && strings.HasPrefix(b.Name, forge.BranchPrefix):
			continue // it is removed with its work tree
		default:
			f.keep("branch", b.String(), "%s", b.Kept)
		}
		if b.Remote == "" {
			decided = append(decided, b.Name)
		}
	}
	return decided, err
}

// branches finds the branches that drives created.
func (f *finder) branches(ctx context.Context) error {
	decided, err := f.landed(ctx)
	if err != nil {
		return err
	}
	const prefix = "refs/heads/" + forge.BranchPrefix
	out, err := f.git(ctx, "for-each-ref", "--format=%(refname)%00%(objectname)", prefix+"*")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		ref, hash, _ := strings.Cut(strings.TrimSpace(line), "\x00")
		branch := strings.TrimPrefix(ref, "refs/heads/")
		if slices.Contains(decided, branch) {
			continue
		}
		if why := f.whoNeeds(branch); why != "" {
			f.keep("branch", branch, "%s", why)
			continue
		}
		merged, err := f.tree.Repo().Descends(f.tip, hash)
		switch {
		case err != nil:
			return err
		case !merged:
			f.keep("branch", branch, "it has commits that are not in %s", f.target)
		case f.keeps:
			f.keep("branch", branch, "keep_branches is true")
		default:
			f.remove("branch", branch, "all of it is in "+f.target, func(ctx context.Context) error {
				_, err := f.git(ctx, "update-ref", "-d", ref, hash) // unless it has moved since
				return err
			})
		}
	}
	return nil
}

// whoNeeds returns who needs a branch, or "".
func (f *finder) whoNeeds(branch string) string {
	for _, s := range f.active {
		if s.Err == nil && s.View.State.BranchName() == branch {
			return describeDrive(s)
		}
	}
	for _, w := range f.trees {
		removed := slices.ContainsFunc(f.items, func(i *item) bool { return i.Kind == "worktree" && i.Remove && i.Name == f.shown(w.Path) })
		if w.Branch == branch && !removed {
			return "it is checked out in " + f.shown(w.Path)
		}
	}
	return ""
}

// salvage finds references that keep undone or skipped work.
func (f *finder) salvage(ctx context.Context, age time.Duration) error {
	refs, err := f.tree.Kept(ctx, "")
	if err != nil {
		return err
	}
	for _, r := range refs {
		name := "refs/warp/" + r.Name
		at, known := keptAt(r.Name)
		held, runs := guard.IsHeld(name)
		switch {
		case runs:
		case held:
			f.remove("held", name, "its process is gone", func(ctx context.Context) error { return f.tree.Drop(ctx, r.Name) })
		case f.isPlan(r.Name):
			f.keep("salvage", name, "it is the task document of an unfinished workflow")
		case !known:
			f.keep("salvage", name, "its name has no date, so its age is unknown (git update-ref -d removes it)")
		case f.now.Sub(at) < age:
			f.keep("salvage", name, "it is from %s, newer than --older-than", at.Format("2006-01-02 15:04"))
		default:
			f.remove("salvage", name, "it is from "+at.Format("2006-01-02 15:04"), func(ctx context.Context) error { return f.tree.Drop(ctx, r.Name) })
		}
	}
	return nil
}

// isPlan reports whether a reference is the document of the unfinished workflow.
func (f *finder) isPlan(name string) bool {
	id, ok := strings.CutPrefix(name, "document/workflow-")
	if !ok {
		return false
	}
	s := documents.PeekWorkflow(turnstile.Open(f.main, f.app.Env).Store())
	return s != nil && !s.Orchestrator.Status.Ended() && strings.HasPrefix(s.ID, id)
}

// keptAt returns when something was kept, from its name: …-STAMP-HASH or …-STAMP.
func keptAt(name string) (time.Time, bool) {
	parts := strings.Split(name, "-")
	for _, p := range parts[max(0, len(parts)-2):] {
		if at, err := time.Parse("20060102T150405", p); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// findScratchTrees finds the work trees in which drives rebase and test.
func (f *finder) findScratchTrees(context.Context) error {
	mayMerge := slices.ContainsFunc(f.active, func(s app.OtherDrive) bool { return s.Err != nil || s.View.State.Phase == drivestate.Merging })
	dirs, err := f.tree.Apart().List()
	for _, dir := range dirs {
		kind, _, _ := strings.Cut(filepath.Base(dir), "-")
		if mayMerge {
			f.keep(kind, f.shown(dir), "a drive is merging")
			continue
		}
		f.remove(kind, f.shown(dir), "no drive is merging", func(ctx context.Context) error { return f.tree.Apart().Abandon(ctx, dir) })
	}
	return err
}

// notes finds notes of drives whose folder is gone.
func (f *finder) notes() {
	files, _ := filepath.Glob(filepath.Join(f.place.Common(), "warp-drives", "*")) // the pattern is valid
	for _, file := range files {
		text, err := durable.ReadPlain(file)
		root, _, _ := strings.Cut(string(text), "\n")
		if err != nil || root == "" {
			continue
		}
		if _, err := os.Lstat(root); errors.Is(err, os.ErrNotExist) {
			f.remove("note", root, "the folder is gone", func(context.Context) error { return durable.RemoveFile(file) })
		}
	}
}

// leases finds lock files of dead processes.
func (f *finder) leases(d *turnstile.Drive) error {
	list, err := d.Store().Leases()
	if err != nil {
		return err
	}
	bad, err := d.Store().DamagedLeases()
	if err != nil {
		return err
	}
	for _, l := range bad {
		name := f.shown(filepath.Join(d.Root(), ".claude", "locks", l.Session+".lock"))
		f.remove("lease", name, "it is damaged", func(context.Context) error {
			_, err := d.Store().RemoveDamagedLease(l.Session)
			return err
		})
	}
	host := app.Hostname()
	for _, l := range list {
		name := f.shown(filepath.Join(d.Root(), ".claude", "locks", l.Session+".lock"))
		if !l.Stale(host, f.app.Env.Started, f.now) {
			continue
		}
		if s, is := f.unfinished(d.Root()); is && s.Root() == d.Root() {
			f.keep("lease", name, "%s", describeDrive(s))
			continue
		}
		f.remove("lease", name, fmt.Sprintf("process %d is gone", l.PID), func(context.Context) error {
			stamp, _ := f.app.Env.Started(f.app.Env.PID)
			hold, _, err := d.Store().Acquire(l.Session, durable.Process{PID: f.app.Env.PID, Stamp: stamp, Host: host}, f.app.Env.Started)
			if err != nil {
				return err // another process has taken it
			}
			return hold.Release()
		})
	}
	return nil
}

// agents finds agents whose drive is gone.
func (f *finder) agents(d *turnstile.Drive) error {
	list, err := agent.Running(d.Store())
	if err != nil {
		return err
	}
	host := app.Hostname()
	for _, l := range list {
		stamp, alive := f.app.Env.Started(l.Parent)
		if l.Host != host || alive && (l.ParentStamp == "" || stamp == "" || stamp == l.ParentStamp) {
			continue
		}
		f.remove("agent", fmt.Sprintf("%s (process %d)", l.Agent, l.PID), "the drive that ran it is gone", func(context.Context) error {
			r, err := agentcmd.Runner(f.app, d, nil)
			if err == nil {
				_, err = r.EndLeftBehind()
			}
			return err
		})
	}
	return nil
}
