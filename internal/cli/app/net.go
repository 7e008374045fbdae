package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/sys/proc"
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

// warpTime bounds a command that a screen runs: what waits longer goes on without it.
const warpTime = 2 * time.Minute

// RunWarp runs a command line of warp's for a person at this terminal, in a work tree, and
// returns what it said.
func (a *App) RunWarp(ctx context.Context, root string, line []string) (said string, ok bool) {
	r, err := a.warp(ctx, root, line)
	if err != nil {
		return err.Error(), false
	}
	return string(r.Output), r.Exit == 0
}

// AskWarp runs a command line of warp's in a work tree, and returns its result alone.
func (a *App) AskWarp(ctx context.Context, root string, line []string) (out []byte, ok bool) {
	r, err := a.warp(ctx, root, line)
	return r.Stdout, err == nil && r.Exit == 0
}

func (a *App) warp(ctx context.Context, root string, line []string) (proc.Result, error) {
	path, err := Beside("warp")
	if err != nil {
		return proc.Result{}, err
	}
	r, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{path}, line...), Dir: root, Env: a.AllEnviron(), Timeout: warpTime, InTerminal: true})
	if err != nil {
		return r, fmt.Errorf("running warp %s: %w", strings.Join(line, " "), err)
	}
	return r, nil
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
		return "", fmt.Errorf("this command needs the program %s, which is missing: install it beside warp (make install)", name)
	}
	return filepath.Abs(path)
}
