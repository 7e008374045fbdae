// Package recover is warp recover: it restores drives whose work tree, branch or state was lost,
// and unblocks a repository in an emergency.
package recover

import (
	"context"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/doctor"
	"warp/internal/cli/tracker"
	"warp/internal/engine/recovery"
	"warp/internal/engine/trust"
	"warp/internal/turnstile"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "recover",
		Short: "Restore a drive whose work tree, branch or machine was lost",
		Long: `Restore a drive whose work tree, branch, state or machine was lost.

A drive leaves more than its state: each chunk's commit, pushed if there is a remote,
names its issue, chunk and session; the journal of the main work tree has the
evidence; the issue has its boxes, its reports carry markers. warp rebuilds the drive
from these and continues after its last committed chunk: nothing is done, filed or
committed twice.

Nothing is deleted: whatever it replaces is kept under refs/warp/recovered/, or
beside its old place.`,
		Example: "  warp recover status\n  warp recover run 42\n  warp recover reset",
	}
	c.AddCommand(statusCommand(a), runCommand(a), resetCommand(a))
	return c
}

// open prepares a recovery, with the tracker if asks is set.
func open(ctx context.Context, a *app.App, d *turnstile.Drive, asks bool) (*recovery.Recovery, error) {
	r, err := recovery.Open(ctx, d, nil, a.Env, app.Hostname())
	if err != nil {
		return nil, err
	}
	r.State, _ = trust.Folder(a.Getenv) // if it fails, copies stay in the git folder
	if !asks {
		return r, nil
	}
	r.Tracker, err = tracker.Open(ctx, a, r.Main)
	return r, err
}

// check is one line of the preflight, as in warp doctor.
type check = doctor.Finding

// preflight checks whether a drive could run here: warp doctor's checks of programs and, unless
// offline, the remote and the issues.
func preflight(ctx context.Context, a *app.App, d *turnstile.Drive, r *recovery.Recovery, offline bool) []check {
	list := doctor.Examine(ctx, a, d, true, "git", "identity", "agent")
	if offline {
		return list
	}
	return append(list, remote(ctx, r), issues(ctx, a, d))
}

func remote(ctx context.Context, r *recovery.Recovery) check {
	name, ok, err := r.Tree.Remotes().Choose(ctx)
	switch {
	case err != nil:
		return check{Part: "remote", Level: doctor.Problem, Detail: err.Error()}
	case !ok:
		return check{Part: "remote", Level: doctor.Warning, Detail: "there is none", Fix: "with one, a drive is pushed after each commit and survives the loss of this machine"}
	}
	main, err := r.Tree.Repo().MainBranch()
	if err == nil {
		_, err = r.Tree.Remotes().Fetch(ctx, name, main)
	}
	if err != nil {
		return check{Part: "remote", Level: doctor.Problem, Detail: err.Error()}
	}
	return check{Part: "remote", Level: "ok", Detail: name + " can be reached"}
}

func issues(ctx context.Context, a *app.App, d *turnstile.Drive) check {
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return check{Part: "tracker", Level: doctor.Problem, Detail: err.Error()}
	}
	who, err := t.User(ctx)
	if err != nil {
		return check{Part: "tracker", Level: doctor.Problem, Detail: err.Error()}
	}
	return check{Part: "tracker", Level: "ok", Detail: t.Name() + ", as " + who}
}
