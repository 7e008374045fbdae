package drivecmd

import (
	"context"
	"path/filepath"

	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/core/account"
	"warp/internal/engine/policy/drive"
)

// detachedOutput is where a detached night writes what it would print.
const detachedOutput = "state/night.out"

// detach starts the night in a process of its own, which no terminal's end ends. What
// would keep it from beginning is said here.
func (w *workshop) detach(ctx context.Context) error {
	if w.o.only && !w.hasUnfinished() {
		return &app.UsageError{Err: &drive.Nothing{}}
	}
	plan, refused, err := w.lookAhead(ctx)
	if err != nil || refused != nil {
		return w.exitError(list(refused), err)
	}
	if driven, _ := account.Split(plan); len(driven) == 0 && len(w.o.issues) == 0 && !w.hasUnfinished() {
		return w.driveNight(ctx) // there is nothing to wait for
	}
	out := filepath.Join(w.drive.Store().Dir(), filepath.FromSlash(detachedOutput))
	pid, err := background.Start(w.app, "the night", out)
	if err != nil {
		return err
	}
	w.app.Printf("The night runs in the background (process %d). Watch it: warp watch. warp status shows it, warp stop --all ends it, warp report tells what came of it.\nIts output: %s\n", pid, out)
	if !w.o.ui {
		return nil
	}
	w.view.Close()
	return background.Watch(w.app, w.o.first())
}
