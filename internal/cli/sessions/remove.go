package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/inboxcmd"
	"warp/internal/cli/people"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

// remove deletes sessions that no process runs.
func remove(a *app.App) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use: "rm NAME…", Short: "Remove sessions and everything they left: files, agents, claims, work trees, branches", Args: cobra.MinimumNArgs(1),
		Long: `Remove sessions that are not running, and everything they left: files, running agents,
claimed items of queues, work trees, branches and references. Without --force it keeps
branches with commits that exist nowhere else, and work trees with uncommitted work.`,
		Example: "  warp sessions rm friday\n  warp sessions rm friday --force",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			for _, name := range args {
				if err := Remove(ctx, a, d, name, Removal{Force: force}); err != nil {
					return err
				}
				a.Printf("removed: %s\n", name)
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&force, "force", false, "also remove commits and uncommitted work that exist nowhere else")
	return c
}

// Removal says how to remove a session.
type Removal struct {
	Force bool // including work that exists nowhere else
	Ended bool // only if it has ended
}

// Remove removes a session, holding its name meanwhile.
func Remove(ctx context.Context, a *app.App, d *turnstile.Drive, name string, o Removal) error {
	if err := sessionstate.CheckName(name); err != nil {
		return &app.UsageError{Err: err}
	}
	dir := folderOf(d, name)
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return missing(name)
	}
	hold, _, err := d.Store().Acquire(name, step.Process{PID: a.Env.PID, Host: app.Hostname()}.Holder(), proc.Started)
	if err != nil {
		return err
	}
	defer func() { _ = hold.Release() }()
	v, err := openState(d, name).Read()
	if err == nil && o.Ended && v.Doc.Status == sessionstate.Running {
		return fmt.Errorf("the session %s was restarted meanwhile", name)
	}
	said, err := agentcmd.EndLeft(a, d) // agents of dead engines, including this session's
	a.Notes(said)
	if err == nil {
		err = releaseHeld(ctx, d)
	}
	if err != nil {
		return err
	}
	if _, err := Claims(a, d).ReleaseSession(ctx, name); err != nil {
		a.Note("%v", err) // the queue may no longer exist
	}
	desk, err := inboxcmd.Desk(a, d)
	if err == nil {
		err = people.WithdrawRuns(desk, d, "session "+name)
	}
	if err == nil {
		err = removeTraces(ctx, a, d, name, v.Doc, o.Force)
	}
	if err != nil {
		return err
	}
	return removeFiles(a, d, name, dir)
}

// removeTraces removes what the session left in git. Of an earlier session that was set aside,
// that is only its branch, unless another session uses it; the rest belongs to the current
// session.
func removeTraces(ctx context.Context, a *app.App, d *turnstile.Drive, name string, s *sessionstate.State, force bool) error {
	tree, err := gitwrite.Open(d.Root())
	if err != nil {
		return nil // no repository
	}
	t := session.Traces{Work: tree, Name: name, Force: force}
	if s != nil {
		t.Branch = s.Branch
	}
	if s != nil && s.Session != name {
		if t.Name = ""; isShared(d, name, s.Branch) {
			return nil
		}
	}
	kept, err := t.Remove(ctx)
	a.Notes(kept)
	return err
}

// isShared reports whether another session of the project uses the branch.
func isShared(d *turnstile.Drive, name, branch string) bool {
	others, err := documents.ListSessions(d.Store())
	return err != nil || slices.ContainsFunc(others, func(other string) bool {
		v, err := openState(d, other).Read()
		return other != name && err == nil && v.Doc.Branch == branch
	})
}

func removeFiles(a *app.App, d *turnstile.Drive, name, dir string) error {
	if _, err := openState(d, name).Remove(); err != nil && !durable.IsMissing(err) {
		return err
	}
	for _, file := range []string{outFile(d, name), jobFile(d, name)} {
		_ = durable.RemoveFile(file) // most sessions have none
	}
	if state, err := trust.Folder(a.Getenv); err == nil { // files kept by its guard
		if err := durable.RemoveFolder(session.StateFolder(state, d.Root(), name)); err != nil {
			return err
		}
	}
	return durable.RemoveFolder(dir)
}
