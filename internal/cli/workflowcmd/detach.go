package workflowcmd

import (
	"path/filepath"

	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/turnstile"
)

// detachedOutput is where a detached workflow writes what it would print.
const detachedOutput = "state/workflow.out"

// detach runs the workflow in a process of its own, and shows it where that is wanted.
func detach(a *app.App, d *turnstile.Drive, o options) error {
	if err := background.BeginUI(a, d, o.ui); err != nil {
		return err
	}
	out := filepath.Join(d.Store().Dir(), filepath.FromSlash(detachedOutput))
	pid, err := background.Start(a, "the workflow", out)
	if err != nil {
		return err
	}
	a.Printf("The workflow runs in the background (process %d). Watch it: warp watch. warp workflow pause pauses it.\nIts output: %s\n", pid, out)
	if !o.ui {
		return nil
	}
	return background.Watch(a, "workflow")
}
