package turnstile

import (
	"os"
	"path/filepath"

	"warp/internal/sys/git"
)

// Find returns the project around a folder: the nearest folder with a session in this repository
// or, without one, the nearest with .claude or .git. The user's ~/.claude does not make the home
// folder a project.
func Find(dir, home string) (root string, ok bool) {
	home = filepath.Clean(home)
	for {
		top := git.IsTop(dir)
		if HasState(dir) {
			return dir, true
		}
		if !ok && (top || dir != home && exists(filepath.Join(dir, stateFolder))) {
			root, ok = dir, true
		}
		up := filepath.Dir(dir)
		if top || up == dir {
			return root, ok
		}
		dir = up
	}
}

// HasState reports whether a project has a drive, finished or not.
func HasState(root string) bool { return exists(filepath.Join(root, stateFolder, StateFile)) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
