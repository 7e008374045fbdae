package sessions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/core/session"
	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// stop ends a session: its process, or, when there is none, what it left.
func stop(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "stop NAME", Short: "Stop a session; warp sessions resume goes on with it", Args: one,
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
			said, err := GiveBack(ctx, a, d)
			a.Notes(said)
			if err != nil {
				a.Notes([]string{err.Error()})
			}
			if s.Status != session.Running {
				a.Printf("%s has ended already: %s\n", name, s.state())
				return nil
			}
			if _, err := open(d, name).Update(func(tx *durable.Tx[session.State]) error {
				tx.Log("stopped", nil)
				return tx.Doc.End(session.ReasonStopped, "it was stopped", a.Env.Now())
			}); err != nil {
				return err
			}
			a.Printf("%s is stopped; nobody was running it\n", name)
			return nil
		}),
	}
}

// GiveBack gives back what sessions have claimed whose processes were killed, once the
// agents that they have left behind are ended: else two would work on one item.
func GiveBack(ctx context.Context, a *app.App, d *turnstile.Drive) ([]string, error) {
	ended, err := agentcmd.EndLeft(a, d)
	if err != nil {
		return ended, err
	}
	said, err := Claims(a, d).ReturnDead(ctx, "")
	return append(ended, said...), err
}

// interrupt asks the process of a session to end it, and waits until it has.
func interrupt(ctx context.Context, a *app.App, d *turnstile.Drive, s summary) error {
	if err := tellToStop(d, s); err != nil {
		return fmt.Errorf("stopping %s (process %d): %w", s.Name, s.PID, err)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if held, err := lease(d, s.Name); err == nil && held == nil {
			a.Printf("%s is stopped\n", s.Name)
			return nil
		}
		if _, alive := proc.Started(s.PID); !alive {
			a.Printf("%s is stopped\n", s.Name)
			return nil
		}
	}
}

// haltFile asks a process that runs several sessions to stop one of them.
func haltFile(dir, name string) string { return filepath.Join(dir, "."+name+".stop") }

// tellToStop asks the process of a session to end it: by a signal, or, where the
// process has other sessions too, by a file.
func tellToStop(d *turnstile.Drive, s summary) error {
	all, err := leases(d)
	if err != nil {
		return err
	}
	for name, l := range all {
		if name != s.Name && l.PID == s.PID && isSession(d, name) { // while it lands, it holds that lock, too
			return durable.Jot(haltFile(filepath.Join(d.Store().Dir(), filepath.FromSlash(session.Folder)), s.Name), nil)
		}
	}
	p, err := os.FindProcess(s.PID)
	if err != nil {
		return err
	}
	return p.Signal(os.Interrupt)
}

func isSession(d *turnstile.Drive, name string) bool {
	_, err := os.Lstat(filepath.Join(d.Store().Dir(), filepath.FromSlash(session.Dir(name))))
	return err == nil
}

// halting stops single sessions of a process that runs several.
type halting struct {
	dir string

	mu   sync.Mutex
	stop map[string]context.CancelFunc
}

// add is the context of one session.
func (h *halting) add(ctx context.Context, name string) (context.Context, context.CancelFunc) {
	ctx, stop := context.WithCancel(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stop == nil {
		h.stop = map[string]context.CancelFunc{}
	}
	h.stop[name] = stop
	_ = os.Remove(haltFile(h.dir, name)) // of an earlier process
	return ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.stop, name)
		_ = os.Remove(haltFile(h.dir, name))
		stop()
	}
}

// watch looks for the files.
func (h *halting) watch(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		h.mu.Lock()
		for name, stop := range h.stop {
			if _, err := os.Lstat(haltFile(h.dir, name)); err == nil {
				stop()
			}
		}
		h.mu.Unlock()
	}
}
