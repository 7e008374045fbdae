package clean

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"warp/internal/cli/app"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

type item struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Why     string `json:"why"`
	Remove  bool   `json:"remove"` // no longer needed
	Removed bool   `json:"removed"`
	Error   string `json:"error,omitempty"`
	do      func(context.Context) error
}

// finder searches one repository.
type finder struct {
	app    *app.App
	drive  *turnstile.Drive
	keeps  bool   // keep merged branches
	main   string // the project's folder in the main work tree
	place  git.Place
	tree   gitwrite.Tree
	trees  []gitwrite.Worktree
	target string // branch that work is merged into
	tip    string // its commit
	active []app.OtherDrive
	now    time.Time
	items  []*item
}

func (f *finder) remove(kind, name, why string, do func(context.Context) error) {
	f.items = append(f.items, &item{Kind: kind, Name: name, Why: why, Remove: true, do: do})
}

func (f *finder) keep(kind, name, format string, args ...any) {
	f.items = append(f.items, &item{Kind: kind, Name: name, Why: fmt.Sprintf(format, args...)})
}

func find(ctx context.Context, a *app.App, d *turnstile.Drive, age time.Duration) ([]*item, error) {
	f := &finder{app: a, drive: d, main: filepath.Dir(d.Project.Home().Dir()), now: a.Env.Now()}
	var ok bool
	if f.place, ok = git.Locate(d.Root()); !ok {
		err := f.folders(age)
		return f.items, err
	}
	settings, err := d.Project.Settings()
	if err != nil {
		return nil, err
	}
	f.keeps = settings.KeepBranches
	if f.tree, err = gitwrite.Open(f.main); err != nil {
		return nil, err
	}
	if f.trees, err = f.tree.Worktrees(ctx); err != nil {
		return nil, err
	}
	if f.target, err = f.tree.Repo().MainBranch(); err != nil {
		return nil, err
	}
	if f.tip, err = f.place.Tip(f.target); err != nil {
		return nil, err
	}
	f.active = app.FindOtherDrives(d, a.Env)
	if v, err := d.Read(); err == nil && v.State.Phase.Active() {
		f.active = append(f.active, app.OtherDrive{Drive: d, View: v})
	}
	for _, look := range []func(context.Context) error{f.worktrees, f.branches, func(ctx context.Context) error { return f.salvage(ctx, age) }, f.findScratchTrees} {
		if err := look(ctx); err != nil {
			return nil, err
		}
	}
	f.notes()
	err = f.folders(age)
	return f.items, err
}

// folders searches each folder that has a store.
func (f *finder) folders(age time.Duration) error {
	roots := []string{f.main}
	for _, w := range f.trees {
		if !w.Missing && !slices.Contains(roots, w.Path) {
			roots = append(roots, w.Path)
		}
	}
	for _, root := range roots {
		if _, err := os.Stat(filepath.Join(root, ".claude")); err != nil {
			continue
		}
		d := turnstile.Open(root, f.app.Env)
		for _, look := range []func() error{func() error { return f.agents(d) }, func() error { return f.leases(d) }, func() error { return f.sessions(d, age) }, func() error { return f.records(d) }} {
			if err := look(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *finder) unfinished(root string) (app.OtherDrive, bool) {
	for _, s := range f.active {
		if rel, err := filepath.Rel(real(root), real(s.Root())); err == nil && filepath.IsLocal(rel) {
			return s, true // including a project in a subfolder
		}
	}
	return app.OtherDrive{}, false
}

func real(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}

func describeDrive(s app.OtherDrive) string {
	if s.Err != nil {
		return "its drive cannot be read: " + s.Err.Error()
	}
	text := fmt.Sprintf("its drive is unfinished: #%s in phase %s", s.View.State.Issue(), s.View.State.Phase)
	if s.View.Stale {
		text += " (stale; warp resume or warp stop there)"
	}
	return text
}

func (f *finder) shown(path string) string {
	if rel, err := filepath.Rel(f.main, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
