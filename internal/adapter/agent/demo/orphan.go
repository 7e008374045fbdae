package demo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"warp/internal/sys/proc"
)

const (
	orphanFile = "demo_orphan.txt"
	// orphanBeat is how often it writes; orphanLife how long it lives unless ended.
	orphanBeat = 20 * time.Millisecond
	orphanLife = 5 * time.Minute
	// orphanStart limits the wait for its first sign of life.
	orphanStart = 10 * time.Second
)

// leaveBehind starts a process that outlives the agent. It inherits the agent's stdout, as its
// stdin, so that a reader that waits for the output to end waits for it.
func (a *Run) leaveBehind(ctx context.Context) error {
	return a.Tool(ctx, "bash", "nohup a server &", func() error {
		cmd := proc.Cmd{Argv: wrapInSetsid(a.World.Self, "agent", Command, "--orphan="+orphanFile), Dir: a.World.Dir}
		if a.World.Stdout != nil {
			cmd.Stdin = a.World.Stdout
		}
		_ = os.Remove(filepath.Join(a.World.Dir, orphanFile)) // left by an earlier run
		failed := make(chan error, 1)
		go func() {
			// Our own end must not reach it.
			_, err := proc.Run(context.WithoutCancel(ctx), cmd)
			failed <- err
		}()
		return a.awaitOrphan(ctx, failed)
	})
}

// ownSessionScript runs its arguments in their own session, with the stdin that a shell takes away
// from background jobs. The shell waits: if it ended, its group would be ended too, perhaps before
// the new session exists.
const ownSessionScript = `exec 3<&0; setsid "$@" <&3 & wait`

// wrapInSetsid wraps a command to run in its own session; without setsid it has at least its own
// group.
func wrapInSetsid(argv ...string) []string {
	if _, err := exec.LookPath("setsid"); err != nil {
		return argv
	}
	return append([]string{"sh", "-c", ownSessionScript, "sh"}, argv...)
}

func (a *Run) awaitOrphan(ctx context.Context, failed <-chan error) error {
	for end := time.Now().Add(orphanStart); time.Now().Before(end); {
		if _, err := os.Stat(filepath.Join(a.World.Dir, orphanFile)); err == nil {
			return nil
		}
		select {
		case err := <-failed:
			if err != nil {
				return fmt.Errorf("leaving a process behind: %w", err)
			}
		default:
		}
		if err := a.World.Wait(ctx, orphanBeat); err != nil {
			return err
		}
	}
	return errors.New("leaving a process behind: it gave no sign of life")
}

// runOrphan runs the process that was left behind.
func runOrphan(ctx context.Context, w World, name string) int {
	f, err := os.OpenFile(filepath.Join(w.Dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return 1
	}
	defer f.Close()
	for range int(orphanLife / orphanBeat) {
		if _, err := f.WriteString("still here\n"); err != nil {
			return 1
		}
		if w.Wait(ctx, orphanBeat) != nil {
			return 0
		}
	}
	return 0
}
