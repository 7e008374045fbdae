package initcmd

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"

	"warp/internal/cli/app"
	"warp/internal/cli/settings"
	"warp/internal/core/config"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// undoSetup removes what init set up.
func undoSetup(ctx context.Context, a *app.App, d *turnstile.Drive, o options) error {
	if !o.dry {
		if err := mayRemove(d, o.force, !a.Person()); err != nil {
			return err
		}
	}
	p, err := newPlan(d)
	if err != nil {
		return err
	}
	for _, ag := range agents { // all that were set up
		if ag.name != o.agent && !exists(filepath.Join(p.root, filepath.FromSlash(ag.file))) {
			continue
		}
		p.hooksFile(ag, "", false)
	}
	p.mcpFile(false)
	p.instructions(false)
	p.ignore(false)
	p.planGitHooks(ctx, program{}, false)
	p.planRuleRemoval()
	p.edit(settings.RecordFile, func([]byte) ([]byte, error) { return nil, nil })
	p.note("state files stay, and so do the settings in %s under %s", config.File, config.Section)
	if err := p.finish(a, o); err != nil || o.dry {
		return err
	}
	p.sweepUp()
	if exists(filepath.Join(p.store.Dir(), "state")) {
		turnstile.HideState(p.store.Dir()) // the remaining state is still not part of the project
		return nil
	}
	return turnstile.ShowState(p.root)
}

// sweepUp removes what is no longer needed: the locks of this and the main work tree (a holder
// notices that its file is gone), folders of other agents, and the record that this project uses
// the repository's hooks.
func (p *plan) sweepUp() {
	for _, dir := range []string{p.store.Dir(), p.drive.Project.Home().Dir()} {
		_ = durable.RemoveFile(filepath.Join(dir, ".warp-drive.lock"))
	}
	for _, ag := range agents {
		if dir := filepath.Dir(ag.file); dir != ".claude" {
			_ = durable.RemoveFile(filepath.Join(p.root, dir)) // fails unless empty
		}
	}
	if place, ok := git.Locate(p.root); ok {
		unregisterProject(place.Common(), p.root)
	}
}

// mayRemove refuses to remove the guards of an active drive.
func mayRemove(d *turnstile.Drive, force, inAgent bool) error {
	v, err := d.Read()
	switch {
	case durable.IsMissing(err):
		return nil
	case err == nil && !v.State.Phase.Active():
		return nil
	case err != nil && force && !inAgent:
		return nil
	case err != nil:
		return fmt.Errorf("nothing was removed, because it is unknown whether a drive is active: %w", err)
	}
	active := &turnstile.ActiveError{Issue: v.State.Issue(), Phase: v.State.Phase, PID: v.State.Session.PID, Stale: v.Stale, Caps: v.State.Session.Caps}
	if inAgent {
		return fmt.Errorf("nothing was removed: removing the guards of an active drive is a person's decision, and this is an agent session: %w", active)
	}
	if force {
		return nil
	}
	return fmt.Errorf("nothing was removed, because the drive would lose its guards (--force removes them anyway): %w", active)
}

// planRuleRemoval plans to remove the permission rules that warp added. It removes none if the
// record has none.
func (p *plan) planRuleRemoval() {
	var ours config.Rules
	if p.before != nil {
		ours = config.Rules{}
		maps.Copy(ours, p.before.Rules)
	}
	p.edit(config.File, func(text []byte) ([]byte, error) {
		if len(text) == 0 {
			return text, nil
		}
		out, _, err := config.Grant(text, nil, ours)
		return out, err
	})
}
