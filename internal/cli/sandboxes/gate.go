package sandboxes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/engine/judge"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// RunGates runs a project's verification gates in its clean room. The files that control a gate
// count as they were before the work.
func RunGates(a *app.App) func(context.Context, turnstile.GateCommand) (proc.Result, error) {
	return func(ctx context.Context, g turnstile.GateCommand) (res proc.Result, err error) {
		d := turnstile.Open(g.Root, a.Env)
		settings, err := d.Project.Settings()
		if err != nil {
			return res, err
		}
		site := judge.Site{Dir: g.Root, Tree: g.Tree}
		if place, ok := git.Locate(g.Root); ok && g.Tree != "" {
			if site.Base, err = place.Tip(g.Target); g.Target != "" && err != nil {
				return res, err
			}
			if site.Rooms, err = Rooms(a, d, settings); err == nil {
				site.Tree, err = withSettings(ctx, place, g)
			}
			if err != nil {
				return res, err
			}
		}
		hide := func(text string) string { return string(a.Env.Hide([]byte(text))) }
		command := judge.Command{Line: g.Line, Environ: os.Environ(), Log: g.Log, Limit: g.Limit, Redact: hide}
		said, err := site.Run(ctx, command)
		if err == nil && said.Passed && site.Rooms != nil && g.Base != "" {
			said.Output, err = passesAsBefore(ctx, d, g, site, command, settings)
			if said.Output != "" {
				said.Passed, said.Exit = false, failedAsBefore
			}
		}
		return proc.Result{Exit: said.Exit, TimedOut: said.TimedOut, Duration: time.Duration(said.Seconds * float64(time.Second)), Output: []byte(said.Output)}, err
	}
}

// withSettings adds HEAD's version of the state folder to a gate's tree: a project may keep
// scripts there.
func withSettings(ctx context.Context, place git.Place, g turnstile.GateCommand) (string, error) {
	repo := git.Repo{Dir: place.Top}
	head, err := repo.Head()
	if err != nil || head == "" {
		return g.Tree, err
	}
	list, err := repo.Trees().Changes(g.Tree, head)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, c := range list {
		if c.Status == 'A' && strings.Contains("/"+c.Path, "/.claude/") {
			paths = append(paths, c.Path)
		}
	}
	if len(paths) == 0 {
		return g.Tree, nil
	}
	return repo.Trees().Graft(ctx, g.Tree, head, paths)
}

// failedAsBefore is the exit code of a gate that passes only because its own files were changed.
const failedAsBefore = 1

// passesAsBefore returns why a passing gate does not count, or "".
func passesAsBefore(ctx context.Context, d *turnstile.Drive, g turnstile.GateCommand, site judge.Site, c judge.Command, s config.Settings) (why string, err error) {
	place, ok := git.Locate(g.Root)
	if !ok {
		return "", fmt.Errorf("%s is no longer a repository", g.Root)
	}
	root, err := d.Project.Repository()
	if err != nil {
		return "", err
	}
	repo := root.Repo(place.Top)
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
	return tests.CheckRunners(ctx, judge.Candidate{Repo: repo, Base: g.Base, Tree: g.Tree, Prefix: prefix, Criteria: g.Asked})
}
