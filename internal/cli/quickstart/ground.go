package quickstart

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/initcmd"
	"warp/internal/cli/settings"
	"warp/internal/core/config"
	"warp/internal/core/evidence"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// findRepository finds the repository, or creates one.
func (s *setup) findRepository(ctx context.Context) error {
	d, err := s.app.Project()
	if errors.Is(err, app.ErrNoProject) && !errors.Is(err, app.ErrBare) {
		d, err = turnstile.Open(s.app.Dir, s.app.Env), nil
	}
	if err != nil {
		return err
	}
	if d.Root() == filepath.Clean(s.app.Getenv("HOME")) {
		return fmt.Errorf("%s is your home folder, nothing was set up: cd into a project", d.Root())
	}
	if err := initcmd.CheckRepository(ctx, d.Root()); err != nil {
		return err
	}
	s.drive = d
	if _, ok := git.Locate(d.Root()); !ok {
		yes, err := s.ask.confirm(ctx, d.Root()+" is not in a git repository. Run git init here?")
		if err != nil {
			return err
		}
		if !yes {
			return fmt.Errorf("nothing was set up: %w", app.ErrNoProject)
		}
		if err := s.git(ctx, "init", "-q"); err != nil {
			return err
		}
	}
	s.say("Repository", "%s", render.Printable(d.Root()))
	return nil
}

// git runs git with the user's identity.
func (s *setup) git(ctx context.Context, args ...string) error {
	whose := func(name string) bool {
		return slices.ContainsFunc([]string{"GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_CONFIG_"}, func(p string) bool { return strings.HasPrefix(name, p) })
	}
	_, err := git.Repo{Dir: s.drive.Root()}.Must(ctx, git.Call{Args: args, Pass: whose})
	return err
}

// set changes a setting unless it has that value.
func (s *setup) set(ctx context.Context, key string, values ...string) error {
	k, v, err := config.Read(key, s.have.Value, values...)
	if err != nil {
		return &app.UsageError{Err: err}
	}
	if now := s.have.Value(k); s.have.Source(k) != "default" && now != nil && now.Kind == v.Kind && now.Raw == v.Raw {
		return nil
	}
	return s.do(ctx, settings.New, append([]string{"set", key}, values...)...)
}

// chooseAgent chooses the agent and asks it a trivial question.
func (s *setup) chooseAgent(ctx context.Context) error {
	var err error
	name := s.o.agent
	if name == "" && s.have.Source(config.Find("agent")) != "default" {
		name = s.have.Agent
	}
	if name == "" {
		if name, err = s.pickAgent(ctx); err != nil {
			return err
		}
	}
	if !slices.Contains(agentcmd.Names(), name) {
		return app.WrongUsage("there is no agent %q; there are %s", render.Printable(name), strings.Join(agentcmd.Names(), ", "))
	}
	if err := s.set(ctx, "agent", name); err != nil {
		return err
	}
	if s.o.noCheck {
		s.say("Agent", "%s (not asked)", name)
		return nil
	}
	s.say("Agent", "asking %s a trivial question…", name)
	r, why, err := agentcmd.Probe(ctx, s.app, name)
	if err != nil {
		return err
	}
	if why != "" {
		s.say("", "%s does not work here: %s", name, render.Printable(why))
		s.left = append(s.left, fmt.Sprintf("warp agent check %s    until it answers", name))
		return nil
	}
	cost := ""
	if r.Usage.MicroUSD > 0 {
		cost = ", for " + evidence.Dollars(r.Usage.MicroUSD)
	}
	s.say("", "%s answered in %.1f s%s", name, r.Duration.Seconds(), cost)
	return nil
}

// pickAgent chooses one of the installed agents.
func (s *setup) pickAgent(ctx context.Context) (string, error) {
	all, err := agentcmd.Look(ctx, s.app)
	if err != nil {
		return "", err
	}
	var found []string
	advice := "install one: Claude Code (claude), Codex (codex) or Gemini (gemini)"
	for _, seen := range all {
		if seen.Name == "demo" { // always there, but does no real work
			continue
		}
		if seen.Installed && (seen.LoggedIn == nil || *seen.LoggedIn) {
			found = append(found, seen.Name)
		} else if seen.Installed && seen.Do != "" {
			advice = seen.Do
		}
	}
	switch len(found) {
	case 0:
		s.app.Note("no coding agent works here: %s; then run warp quickstart again (--agent demo only shows how a drive goes)", advice)
		return "", &app.Silent{Code: app.Human}
	case 1:
		return found[0], nil
	}
	return s.ask.choose(ctx, "Which agent?", found, found[0])
}

var agentsWithHooks = []string{"claude", "codex", "gemini"}

// writeFiles writes hooks and ignore lines, as warp init does.
func (s *setup) writeFiles(ctx context.Context) error {
	args := []string{}
	if slices.Contains(agentsWithHooks, s.have.Agent) {
		args = append(args, "--agent", s.have.Agent)
	}
	if err := s.do(ctx, initcmd.New, args...); err != nil {
		return err
	}
	s.say("Set up", "hooks, commands and ignore lines (warp init --remove undoes it)")
	return nil
}
