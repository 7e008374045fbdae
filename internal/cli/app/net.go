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

// Programs that warp turns into for commands whose dependencies would slow down every start.
const (
	netProgram = "warp-net" // network access
	uiProgram  = "warp-ui"  // screens, pages, monitoring
)

// BecomeNet replaces this process by warp-net, with a warp command line.
func (a *App) BecomeNet(line []string) error { return a.becomeProgram(netProgram, line) }

// BecomeUI replaces this process by warp-ui, with a warp command line.
func (a *App) BecomeUI(line []string) error { return a.becomeProgram(uiProgram, line) }

func (a *App) becomeProgram(program string, line []string) error {
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

// RunNet runs a warp command line in warp-net, in a work tree, and prints its output. The error
// carries its exit code.
func (a *App) RunNet(ctx context.Context, root string, line []string) error {
	path, err := Beside(netProgram)
	if err != nil {
		return err
	}
	r, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{path}, line...), Dir: root, Env: a.AllEnviron()})
	if err != nil {
		return fmt.Errorf("running warp %s: %w", strings.Join(line, " "), err)
	}
	_, _ = a.Out.Write(r.Stdout) // Run notices a reader that is gone
	_, _ = a.Err.Write(r.Stderr)
	if r.Exit != 0 {
		return &Silent{r.Exit}
	}
	return nil
}

// Said is the output of one of our programs, and its exit code.
type Said struct {
	Out  []byte // stdout only
	Text string
	Code int
}

// programTime bounds a command run by a screen or page, which must not wait longer.
const programTime = 2 * time.Minute

// RunProgram runs one of our programs to its end.
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

// RunWarp runs a warp command line in a work tree, for a person at this terminal.
func (a *App) RunWarp(ctx context.Context, root string, line []string) Said {
	path, err := Beside("warp")
	if err != nil {
		return Said{Text: err.Error(), Code: Failed}
	}
	return RunProgram(ctx, proc.Cmd{Argv: append([]string{path}, line...), Dir: root, Env: a.AllEnviron(), InTerminal: true})
}

// Beside finds one of our programs: in this program's folder, else in PATH.
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

// ExportLog is the exporter's error log, in the project's state folder.
const ExportLog = "state/export.log"

// StartExporter starts the process that sends this one's telemetry to an OpenTelemetry
// collector, and that ends with it. It does nothing unless the environment names a collector.
func (a *App) StartExporter(d *turnstile.Drive) error {
	if !otelenv.IsSet(a.Getenv) {
		return nil
	}
	path, err := Beside(uiProgram)
	if err != nil {
		return fmt.Errorf("traces and metrics are not sent: %w", err)
	}
	// Include what happens before that process has started.
	line := []string{path, "export", "--until-gone", strconv.Itoa(os.Getpid()), "--since", event.Stamp(a.Env.Now())}
	log := filepath.Join(d.Project.Home().Dir(), filepath.FromSlash(ExportLog))
	if _, _, err := proc.Detach(line, d.Root(), log, redact.ForMonitoring(a.AllEnviron())); err != nil {
		return fmt.Errorf("traces and metrics are not sent: %w", err)
	}
	return nil
}
