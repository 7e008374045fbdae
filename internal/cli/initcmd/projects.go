package initcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/cli/settings"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// projectsFolder, in the repository's git folder, has one file for each project that warp was
// set up in. Projects and linked work trees of one repository share its git hooks; the last
// project to be removed takes them away.
const projectsFolder = "warp-projects"

func projectFile(common, root string) string {
	return filepath.Join(common, projectsFolder, settings.Checksum([]byte(root))[:16])
}

// registerProject records that a project uses the repository's hooks.
func registerProject(common, root string) error {
	file := projectFile(common, root)
	if text, err := durable.ReadPlain(file); err == nil && string(text) == root+"\n" {
		return nil
	}
	return durable.WriteFile(file, []byte(root+"\n"), 0o644)
}

// unregisterProject deletes the record, and after the last one the whole folder.
func unregisterProject(common, root string) {
	_ = durable.RemoveFile(projectFile(common, root)) // there may be none
	if len(otherProjects(common, root)) == 0 {
		_ = durable.RemoveFolder(filepath.Join(common, projectsFolder))
	}
}

// otherProjects lists the other projects that use the repository's hooks and are still set up.
func otherProjects(common, root string) []string {
	files, _ := filepath.Glob(filepath.Join(common, projectsFolder, "*")) // the pattern is well-formed
	var roots []string
	for _, f := range files {
		text, err := durable.ReadPlain(f)
		other := strings.TrimSuffix(string(text), "\n")
		if err == nil && other != root && exists(filepath.Join(other, filepath.FromSlash(settings.RecordFile))) {
			roots = append(roots, other)
		}
	}
	slices.Sort(roots)
	return roots
}

// project returns the project around the start folder, or that folder if the user agrees: init
// may be what creates the project.
func project(ctx context.Context, a *app.App, o options) (*turnstile.Drive, error) {
	d, err := a.Project()
	if errors.Is(err, app.ErrNoProject) && !errors.Is(err, app.ErrBare) {
		d, err = turnstile.Open(a.Dir, a.Env), nil
	}
	switch {
	case err != nil:
		return nil, err
	case d.Root() == filepath.Clean(a.Getenv("HOME")):
		return nil, fmt.Errorf("%s is your home folder: hooks there would run in every project; cd into a project", d.Root())
	case o.remove:
		return d, nil
	}
	if err := CheckRepository(ctx, d.Root()); err != nil {
		return nil, err
	}
	switch {
	case o.here || exists(filepath.Join(d.Root(), filepath.FromSlash(settings.RecordFile))):
		return d, nil
	}
	if _, ok := git.Locate(d.Root()); ok {
		return d, nil
	}
	if o.dry || a.AsJSON || !a.Terminal || !app.Confirm(a, fmt.Sprintf("%s is not in a git repository. Run git init here?", d.Root())) {
		return nil, &noRepository{d.Root()}
	}
	if _, err := (git.Repo{Dir: d.Root()}).Must(ctx, git.Call{Args: []string{"init", "-q"}}); err != nil {
		return nil, fmt.Errorf("running git init in %s: %w", d.Root(), err)
	}
	return d, nil
}

// CheckRepository refuses a folder whose repository git cannot use: what was written there would
// be in no repository, or in another one.
func CheckRepository(ctx context.Context, root string) error {
	p, _ := git.Locate(root)
	if p.Top == "" {
		return nil
	}
	if _, err := (git.Repo{Dir: root}).Must(ctx, git.Call{Args: []string{"rev-parse", "--git-dir"}}); err != nil {
		return fmt.Errorf("nothing was written: git cannot use the repository at %s: %w", filepath.Join(p.Top, ".git"), err)
	}
	return nil
}

// noRepository refuses to set up a folder in which nothing can be committed.
type noRepository struct{ folder string }

func (e *noRepository) Error() string {
	return fmt.Sprintf("nothing was written: %s is not in a git repository; run git init first, or warp init --here to set up the folder without git", e.folder)
}

// Is gives it the exit code of a missing project.
func (e *noRepository) Is(target error) bool { return target == app.ErrNoProject }
