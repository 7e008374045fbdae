// Package recover is warp recover: it brings back drives whose work tree, branch
// or state was lost, and sets a repository free in an emergency.
package recover

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/tracker"
	"warp/internal/engine/recovery"
	"warp/internal/engine/trust"
	"warp/internal/turnstile"
)

// New makes the command.
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

Nothing is deleted: what has to make room is kept under refs/warp/recovered/, or
beside its old place.`,
		Example: "  warp recover status\n  warp recover run 42\n  warp recover reset",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(statusCommand(a), runCommand(a), resetCommand(a))
	return c
}

// open prepares a recovery, with the tracker where it is wanted.
func open(ctx context.Context, a *app.App, d *turnstile.Drive, asks bool) (*recovery.Recovery, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	r, err := recovery.Open(ctx, d, nil, a.Env, host)
	if err != nil {
		return nil, err
	}
	r.State, _ = trust.Folder(a.Getenv) // else copies are in git's own folder
	if !asks {
		return r, nil
	}
	r.Tracker, err = tracker.Open(ctx, a, r.Main)
	return r, err
}
