package boxes

import (
	"path/filepath"
	"sync"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/engine/contain"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// Commands confines commands of a project that work in its own work tree, such as the
// dev environment's. Git's folder and warp's own are read-only to them. The settings
// are read when the first of them is to be run: most of what looks at a project runs none.
func Commands(a *app.App, root string, settings func() (config.Settings, error)) func(proc.Cmd, contain.Command) (proc.Cmd, func() error, error) {
	open := sync.OnceValues(func() (*contain.Walls, error) {
		s, err := settings()
		if err != nil {
			return nil, err
		}
		w, _, err := Open(a, root, s)
		return w, err
	})
	return func(c proc.Cmd, o contain.Command) (confined proc.Cmd, done func() error, err error) {
		w, err := open()
		if err != nil {
			return c, nil, err
		}
		o.Top, o.Frozen = root, append(o.Frozen, filepath.Join(root, ".claude"))
		if at, ok := git.Locate(root); ok {
			o.Top, o.Git = at.Top, at.Common()
			o.Frozen = append(o.Frozen, filepath.Join(at.Top, ".git"), filepath.Join(at.Top, ".claude"), at.Common(), at.GitDir())
		}
		run, err := w.ConfineCommand(c, o)
		if err != nil {
			return c, nil, err
		}
		return run.Cmd, run.Close, nil
	}
}
