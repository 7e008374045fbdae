package drivecmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"warp/internal/cli/app"
	"warp/internal/cli/boxes"
	"warp/internal/core/account"
	"warp/internal/durable"
	"warp/internal/engine/policy/drive"
	"warp/internal/sys/proc"
	"warp/internal/ui/render"
)

// detachedOutput is where a detached night writes what it would print.
const detachedOutput = "state/night.out"

// begunWithin is how long a detached night has to give its first sign of life.
const begunWithin = 30 * time.Second

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
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := slices.DeleteFunc(slices.Clone(w.app.Line), func(a string) bool { return a == "--detach" || a == "--detach=true" })
	out := filepath.Join(w.drive.Store().Dir(), filepath.FromSlash(detachedOutput))
	pid, gone, err := proc.Detach(append([]string{self}, args...), w.app.Dir, out, boxes.Environ(w.app))
	if err != nil {
		return fmt.Errorf("starting the night in the background: %w", err)
	}
	late := time.After(begunWithin)
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		text, _ := durable.ReadPlain(out) // it appears with the first line
		select {
		case <-gone:
			text, _ = durable.ReadPlain(out)
			return fmt.Errorf("the night ended at once: %s", render.Printable(string(text)))
		case <-late:
			return fmt.Errorf("the night (process %d) does not respond; see %s", pid, out)
		case <-look.C:
		}
		if len(text) > 0 {
			w.app.Printf("The night runs in the background (process %d). warp status shows it, warp stop --all ends it, warp report tells what came of it.\nIts output: %s\n", pid, out)
			return nil
		}
	}
}
