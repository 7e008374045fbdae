package demo

import (
	"context"
	"errors"
	"os"
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

// leaveBehind starts a process that outlives the agent, in its own session. It inherits the agent's
// stdout, as its stdin, so that a reader that waits for the output to end waits for it.
func (a *Run) leaveBehind(ctx context.Context) error {
	return a.Tool(ctx, "bash", "nohup a server &", func() error {
		cmd := proc.Cmd{Argv: []string{a.World.Self, "agent", Command, "--orphan=" + orphanFile}, Dir: a.World.Dir}
		if a.World.Stdout != nil {
			cmd.Stdin = a.World.Stdout
		}
		sign := filepath.Join(a.World.Dir, orphanFile)
		_ = os.Remove(sign) // left by an earlier run
		// Our own end must not reach it.
		go func() { _, _ = proc.Run(context.WithoutCancel(ctx), cmd) }()
		for end := time.Now().Add(orphanStart); time.Now().Before(end); {
			if _, err := os.Stat(sign); err == nil {
				return nil
			}
			if err := a.World.Wait(ctx, orphanBeat); err != nil {
				return err
			}
		}
		return errors.New("leaving a process behind: it gave no sign of life")
	})
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
