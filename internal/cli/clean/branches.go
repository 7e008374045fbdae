package clean

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/engine/conductor"
	"warp/internal/engine/forge"
	"warp/internal/engine/land"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// MergedOptions say which branches to delete.
type MergedOptions struct {
	Tracker forge.Tracker // knows which pull requests are merged; nil: keep their branches
	Only    []string      // branches that have just landed; nil: all
	Say     func(text string)
	// Conductor is asked before deleting a remote branch; nil: it is deleted.
	Conductor *conductor.Conductor
}

// newSweeper returns a finder of a project's landed branches.
func newSweeper(a *app.App, d *turnstile.Drive, t forge.Tracker) (land.Sweep, error) {
	work, err := gitwrite.Open(filepath.Dir(d.Project.Home().Dir()))
	if err != nil {
		return land.Sweep{}, err
	}
	s := land.Sweep{Work: work, Home: d.Project.Home(), Now: a.Env.Now, Unfinished: map[string]string{}}
	if t != nil {
		s.Pull = t.Pull
	}
	active := app.FindOtherDrives(d, a.Env)
	if v, err := d.Read(); err == nil && v.State.Phase.Active() {
		active = append(active, app.OtherDrive{Drive: d, View: v})
	}
	for _, o := range active {
		if o.Err == nil && o.View.State.BranchName() != "" {
			s.Unfinished[o.View.State.BranchName()] = fmt.Sprintf("its drive is unfinished: #%s in phase %s", o.View.State.Issue(), o.View.State.Phase)
		}
	}
	return s, nil
}

// DeleteMerged deletes landed branches, unless the settings keep them, and reports the result.
// The next drive and warp clean retry failures. It explains why a branch is kept only if it has
// just landed.
func DeleteMerged(ctx context.Context, a *app.App, d *turnstile.Drive, o MergedOptions) {
	settings, err := d.Project.Settings()
	if err != nil || settings.KeepBranches || ctx.Err() != nil {
		return // errors in the settings are reported elsewhere
	}
	s, err := newSweeper(a, d, o.Tracker)
	if err != nil {
		o.Say("merged branches are kept: " + err.Error())
		return
	}
	s.Only, s.Conductor = o.Only, o.Conductor
	deleted, kept, err := s.RemoveAll(ctx)
	if err != nil && ctx.Err() == nil {
		o.Say(fmt.Sprintf("merged branches are kept: %v", err))
	}
	for _, line := range describe(deleted) {
		o.Say(line)
	}
	for _, b := range kept {
		if o.Only != nil && !b.Waits {
			o.Say(fmt.Sprintf("the branch %s is kept: %s", b.Name, b.Kept))
		}
	}
}

func describe(deleted []land.SweptBranch) (lines []string) {
	where := map[string][]string{}
	var names []string
	for _, b := range deleted {
		if where[b.Name] == nil {
			names = append(names, b.Name)
		}
		place := "here"
		if b.Remote != "" {
			place = "on " + b.Remote
		}
		where[b.Name] = append(where[b.Name], place)
	}
	for _, name := range names {
		lines = append(lines, fmt.Sprintf("deleted the merged branch %s %s", name, strings.Join(where[name], " and ")))
	}
	return lines
}
