package boxes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// RunGates has the verification gates of a project run in its clean room. The files
// that decide how a gate is run count as they were before the work.
func RunGates(a *app.App) func(context.Context, turnstile.GateCommand) (proc.Result, error) {
	return func(ctx context.Context, g turnstile.GateCommand) (res proc.Result, err error) {
		settings, err := turnstile.Open(g.Root, a.Env).Project.Settings()
		if err != nil {
			return res, err
		}
		site := judge.Site{Dir: g.Root, Tree: g.Tree, Base: g.Base}
		if g.Tree != "" {
			if site.Rooms, err = Rooms(a, g.Root, settings); err != nil {
				return res, err
			}
		}
		hide := func(text string) string { return string(a.Env.Hide([]byte(text))) }
		command := judge.Command{Line: g.Line, Environ: os.Environ(), Log: g.Log, Limit: g.Limit, Redact: hide}
		said, err := site.Run(ctx, command)
		if err == nil && said.Passed && site.Rooms != nil && g.Base != "" {
			said.Output, err = passesAsBefore(ctx, g, site, command, settings)
			if said.Output != "" {
				said.Passed, said.Exit = false, failedAsBefore
			}
		}
		return proc.Result{Exit: said.Exit, TimedOut: said.TimedOut, Duration: time.Duration(said.Seconds * float64(time.Second)), Output: []byte(said.Output)}, err
	}
}

// failedAsBefore is the exit code of a gate that passes only since its own files were
// changed.
const failedAsBefore = 1

// passesAsBefore says why a gate does not count that passes.
func passesAsBefore(ctx context.Context, g turnstile.GateCommand, site judge.Site, c judge.Command, s config.Settings) (why string, err error) {
	place, ok := git.Locate(g.Root)
	if !ok {
		return "", fmt.Errorf("%s is no repository any more", g.Root)
	}
	repo, err := git.Open(place.Top)
	if err != nil {
		return "", err
	}
	prefix, err := filepath.Rel(place.Top, g.Root)
	if err != nil {
		return "", err
	}
	if prefix == "." {
		prefix = ""
	}
	c.Log = ""
	prefix = filepath.ToSlash(prefix)
	tests := judge.Tests{Command: c, Site: site, Repo: repo, Prefix: prefix, Protected: s.Protected}
	return tests.CheckRunners(ctx, judge.Candidate{Repo: repo, Base: g.Base, Tree: g.Tree, Prefix: prefix, Asked: g.Asked})
}
