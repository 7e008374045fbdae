package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/guard"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// stop ends a session: its process, or the leftovers of a dead one.
func stop(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "stop NAME", Short: "Stop a session; warp sessions resume continues it", Args: wantName,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			name := args[0]
			s, err := summarize(a, d, name)
			if durable.IsMissing(err) {
				return missing(name)
			}
			if err != nil {
				return err
			}
			if s.Running {
				return interrupt(ctx, a, d, s)
			}
			if s.Status != sessionstate.Running {
				tryGiveBack(ctx, a, d)
				a.Printf("%s has ended already: %s\n", name, s.state())
				return nil
			}
			return stopLeft(ctx, a, d, name, "no process was running it")
		}),
	}
}

// stopLeft ends a session whose process is gone, and prints why.
func stopLeft(ctx context.Context, a *app.App, d *turnstile.Drive, name, why string) error {
	tryGiveBack(ctx, a, d)
	if _, err := openState(d, name).Update(func(tx *durable.Tx[sessionstate.State]) error {
		tx.Log("stopped", nil)
		return tx.Doc.End(sessionstate.ReasonStopped, "it was stopped", a.Env.Now())
	}); err != nil {
		return err
	}
	a.Printf("%s is stopped; %s\n", name, why)
	return nil
}

// tryGiveBack is giveBack for commands that continue on errors.
func tryGiveBack(ctx context.Context, a *app.App, d *turnstile.Drive) {
	said, err := giveBack(ctx, a, d)
	a.Notes(said)
	if err != nil {
		a.Note("%v", err)
	}
}

// giveBack releases the claims and git locks of killed processes. It first ends the agents they
// left behind, or two would work on one item and an orphan could still damage the work tree.
func giveBack(ctx context.Context, a *app.App, d *turnstile.Drive) ([]string, error) {
	ended, err := agentcmd.EndLeft(a, d)
	if err != nil {
		return ended, err
	}
	said, err := Claims(a, d).ReleaseDead(ctx, "")
	return append(ended, said...), errors.Join(err, releaseHeld(ctx, d))
}

// releaseHeld releases the git locks of killed engines.
func releaseHeld(ctx context.Context, d *turnstile.Drive) error {
	place, ok := git.Locate(d.Root())
	if !ok {
		return nil
	}
	_, err := guard.ReleaseDead(ctx, place)
	return err
}

// interrupt asks a session's process to stop it, waits until it did, and prints the outcome.
func interrupt(ctx context.Context, a *app.App, d *turnstile.Drive, s summary) error {
	file := haltFile(d, s.Name)
	defer durable.RemoveFile(file)
	for {
		// Write it again until the process has read it: an agent may delete files it finds.
		if err := durable.WriteNote(file, nil); err != nil {
			return fmt.Errorf("stopping %s (process %d): %w", s.Name, s.PID, err)
		}
		if err := app.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
		held, err := lease(d, s.Name)
		_, alive := proc.Started(s.PID)
		if err == nil && held == nil || !alive {
			return printStopped(ctx, a, d, s.Name)
		}
	}
}

// printStopped prints how a session ended after it was told to stop. It may have ended on its own
// just before.
func printStopped(ctx context.Context, a *app.App, d *turnstile.Drive, name string) error {
	v, err := openState(d, name).Read()
	if err != nil {
		return err
	}
	switch s := v.Doc; {
	case s.Status == sessionstate.Running:
		return stopLeft(ctx, a, d, name, "its process died before it could record that")
	case s.Reason() == sessionstate.ReasonStopped:
		a.Printf("%s is stopped; warp sessions resume %s continues it\n", name, name)
	default:
		a.Printf("%s ended before it was stopped: %s\n", name, s.Status)
	}
	return nil
}

// haltFile asks a session's process to stop it. A signal would stop all sessions of a process
// that runs several. A lock would be ambiguous, since the project's quality loop has one of the
// same form.
func haltFile(d *turnstile.Drive, name string) string { return hiddenFile(d, name, "stop") }

// untilHalted returns a context that ends when haltFile appears. The caller must call done.
func untilHalted(ctx context.Context, d *turnstile.Drive, name string) (_ context.Context, done func()) {
	ctx, stop := context.WithCancel(ctx)
	file := haltFile(d, name)
	_ = durable.RemoveFile(file) // left by an earlier process
	over := make(chan struct{})
	go func() {
		defer close(over)
		for app.Sleep(ctx, pollInterval) == nil {
			if _, err := os.Lstat(file); err == nil {
				stop()
			}
		}
	}()
	return ctx, func() {
		stop()
		<-over
		_ = durable.RemoveFile(file)
	}
}
