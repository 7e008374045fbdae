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

// stop ends a session: its process, or, when there is none, what it left.
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
				giveBack(ctx, a, d)
				a.Printf("%s has ended already: %s\n", name, s.state())
				return nil
			}
			return stopLeft(ctx, a, d, name, "no process was running it")
		}),
	}
}

// stopLeft ends a session that no process is at any more, and says why that is so.
func stopLeft(ctx context.Context, a *app.App, d *turnstile.Drive, name, why string) error {
	giveBack(ctx, a, d)
	if _, err := open(d, name).Update(func(tx *durable.Tx[sessionstate.State]) error {
		tx.Log("stopped", nil)
		return tx.Doc.End(sessionstate.ReasonStopped, "it was stopped", a.Env.Now())
	}); err != nil {
		return err
	}
	a.Printf("%s is stopped; %s\n", name, why)
	return nil
}

// giveBack is GiveBack, for a command that goes on whatever comes of it.
func giveBack(ctx context.Context, a *app.App, d *turnstile.Drive) {
	said, err := GiveBack(ctx, a, d)
	a.Notes(said)
	if err != nil {
		a.Note("%v", err)
	}
}

// GiveBack gives back what sessions have claimed, and what engines have held in git, whose
// processes were killed, once the agents that they have left behind are ended: else two
// would work on one item, and one could still destroy what was held.
func GiveBack(ctx context.Context, a *app.App, d *turnstile.Drive) ([]string, error) {
	ended, err := agentcmd.EndLeft(a, d)
	if err != nil {
		return ended, err
	}
	said, err := Claims(a, d).ReleaseDead(ctx, "")
	return append(ended, said...), errors.Join(err, releaseHeld(ctx, d))
}

// releaseHeld gives back what engines have held in git whose processes were killed.
func releaseHeld(ctx context.Context, d *turnstile.Drive) error {
	place, ok := git.Locate(d.Root())
	if !ok {
		return nil
	}
	_, err := guard.ReleaseDead(ctx, place)
	return err
}

// interrupt asks the process of a session to end it, waits until it has ended, and
// says what became of the session.
func interrupt(ctx context.Context, a *app.App, d *turnstile.Drive, s summary) error {
	file := haltFile(d, s.Name)
	defer durable.RemoveFile(file)
	for {
		// An agent that removes what it finds may take the file along: it is there until it was read.
		if err := durable.WriteNote(file, nil); err != nil {
			return fmt.Errorf("stopping %s (process %d): %w", s.Name, s.PID, err)
		}
		if err := app.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
		held, err := lease(d, s.Name)
		_, alive := proc.Started(s.PID)
		if err == nil && held == nil || !alive {
			return sayStopped(ctx, a, d, s.Name)
		}
	}
}

// sayStopped says how a session ended whose process was told to stop it: that it is
// stopped is true only where the session says so, or where none is left to say it.
func sayStopped(ctx context.Context, a *app.App, d *turnstile.Drive, name string) error {
	v, err := open(d, name).Read()
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

// haltFile asks the process of a session to stop it. A signal would end all sessions of
// a process that runs several, and which locks are a session's cannot be told by their
// names: the quality loop of a project has one, too.
func haltFile(d *turnstile.Drive, name string) string { return hidden(d, name, "stop") }

// untilHalted is the context of a session that this process runs. The caller calls done
// when it is over.
func untilHalted(ctx context.Context, d *turnstile.Drive, name string) (_ context.Context, done func()) {
	ctx, stop := context.WithCancel(ctx)
	file := haltFile(d, name)
	_ = durable.RemoveFile(file) // of an earlier process
	over := make(chan struct{})
	go func() {
		defer close(over)
		for app.Sleep(ctx, lookEvery) == nil {
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
