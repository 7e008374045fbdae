package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/otelenv"
	"warp/internal/core/redact"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// The programs that warp becomes for commands whose needs would be paid at every start.
const (
	netProgram = "warp-net" // talks to the network
	uiProgram  = "warp-ui"  // screens, pages, figures for monitoring
)

// BecomeNet makes this process warp-net, with a command line of warp's.
func (a *App) BecomeNet(line []string) error { return a.become(netProgram, line) }

// BecomeUI makes this process warp-ui, with a command line of warp's.
func (a *App) BecomeUI(line []string) error { return a.become(uiProgram, line) }

func (a *App) become(program string, line []string) error {
	path, err := Beside(program)
	if err != nil {
		return err
	}
	return proc.Become(path, line, a.Environ)
}

// BecomeNetIn is BecomeNet in another work tree.
func (a *App) BecomeNetIn(root string, line []string) error {
	if err := os.Chdir(root); err != nil {
		return fmt.Errorf("changing to the work tree: %w", err)
	}
	return a.BecomeNet(line)
}

// RunNet runs a command line of warp's in warp-net, in a work tree, and prints what it
// says. Its exit code is the error's.
func (a *App) RunNet(ctx context.Context, root string, line []string) error {
	path, err := Beside(netProgram)
	if err != nil {
		return err
	}
	r, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{path}, line...), Dir: root, Env: a.AllEnviron()})
	if err != nil {
		return fmt.Errorf("running warp %s: %w", strings.Join(line, " "), err)
	}
	_, _ = a.Out.Write(r.Stdout) // a reader that is gone is noticed by Run
	_, _ = a.Err.Write(r.Stderr)
	if r.Exit != 0 {
		return &Silent{r.Exit}
	}
	return nil
}

// Said is what a program of ours said, and how it ended.
type Said struct {
	Out  []byte // the result alone
	Text string
	Code int
}

// programTime bounds a command that a screen or a page runs: what waits longer goes on
// without it.
const programTime = 2 * time.Minute

// RunProgram runs a program of ours to its end.
func RunProgram(ctx context.Context, c proc.Cmd) Said {
	c.Timeout = programTime
	r, err := proc.Run(ctx, c)
	if err != nil {
		return Said{Text: err.Error(), Code: Failed}
	}
	text := strings.TrimSpace(string(r.Output))
	if r.TimedOut {
		text += "\nit did not end in time"
	}
	return Said{r.Stdout, text, r.Exit}
}

// RunWarp runs a command line of warp's for a person at this terminal, in a work tree.
func (a *App) RunWarp(ctx context.Context, root string, line []string) Said {
	path, err := Beside("warp")
	if err != nil {
		return Said{Text: err.Error(), Code: Failed}
	}
	return RunProgram(ctx, proc.Cmd{Argv: append([]string{path}, line...), Dir: root, Env: a.AllEnviron(), InTerminal: true})
}

// Beside finds a program of ours: beside this one, else in PATH.
func Beside(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("this command needs the program %s, which is missing: install it beside the others (make install)", name)
	}
	return filepath.Abs(path)
}

// ExportLog is where the exporter of a project says what is wrong, below its state.
const ExportLog = "state/export.log"

// StartExporter starts the process that sends what this one does to an OpenTelemetry
// collector, and ends with it. Without a variable that names a collector nothing is
// started.
func (a *App) StartExporter(d *turnstile.Drive) error {
	if !otelenv.IsSet(a.Getenv) {
		return nil
	}
	path, err := Beside(uiProgram)
	if err != nil {
		return fmt.Errorf("traces and metrics are not sent: %w", err)
	}
	// What is over before that process has started counts, too.
	line := []string{path, "export", "--until-gone", strconv.Itoa(os.Getpid()), "--since", event.Stamp(a.Env.Now())}
	log := filepath.Join(d.Project.Home().Dir(), filepath.FromSlash(ExportLog))
	if _, _, err := proc.Detach(line, d.Root(), log, redact.ForMonitoring(a.AllEnviron())); err != nil {
		return fmt.Errorf("traces and metrics are not sent: %w", err)
	}
	return nil
}
