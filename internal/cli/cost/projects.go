package cost

import (
	"os"
	"path/filepath"
	"slices"

	"warp/internal/cli/app"
)

// KnownProjects are the folders of the projects in the user's token ledger that are still
// there, each once, after those that are given.
func KnownProjects(a *app.App, first ...string) ([]string, error) {
	ledger, err := Ledger(a)
	if err != nil {
		return nil, err
	}
	rows, err := ledger.Rows()
	if err != nil {
		return nil, err
	}
	list := slices.Clone(first)
	for _, r := range rows {
		root := filepath.Clean(r.Project)
		if !filepath.IsAbs(root) || slices.Contains(list, root) {
			continue
		}
		if info, err := os.Stat(filepath.Join(root, ".claude")); err == nil && info.IsDir() {
			list = append(list, root)
		}
	}
	return list, nil
}
