package initcmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/cli/initcmd/record"
	"warp/internal/sys/git"
	"warp/internal/turnstile"
)

// project is the project around the start folder, or that folder itself where a person
// says so: init may be what makes a project of it.
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
	case o.here || o.remove || exists(filepath.Join(d.Root(), filepath.FromSlash(record.File))):
		return d, nil
	}
	if _, ok := git.Locate(d.Root()); ok {
		return d, nil
	}
	if o.dry || o.asJSON || !a.Terminal || !app.Confirm(a, fmt.Sprintf("%s is not in a git repository. Run git init here?", d.Root())) {
		return nil, &noRepository{d.Root()}
	}
	answer, err := git.Repo{Dir: d.Root()}.Run(ctx, git.Call{Args: []string{"init", "-q"}})
	if err == nil && answer.Exit != 0 {
		err = errors.New(strings.TrimSpace(answer.Stderr))
	}
	if err != nil {
		return nil, fmt.Errorf("running git init in %s: %w", d.Root(), err)
	}
	return d, nil
}

// noRepository refuses to set up a folder whose work nothing could be committed in.
type noRepository struct{ folder string }

func (e *noRepository) Error() string {
	return fmt.Sprintf("nothing was written: %s is not in a git repository; run git init first, or warp init --here to set up the folder without git", e.folder)
}

// Is makes it exit as every command does without a project.
func (e *noRepository) Is(target error) bool { return target == app.ErrNoProject }
