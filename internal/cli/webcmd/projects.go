package webcmd

import (
	"path/filepath"
	"slices"

	"warp/internal/cli/app"
	"warp/internal/cli/cost"
	"warp/internal/turnstile"
)

// otherProjects are the projects of the user's token ledger that are still there, besides
// the one that was asked about.
func otherProjects(a *app.App, here *turnstile.Drive) (list []*turnstile.Drive) {
	ledger, err := cost.Ledger(a)
	if err != nil {
		a.Notes([]string{err.Error()})
		return nil
	}
	rows, err := ledger.Rows()
	if err != nil {
		a.Notes([]string{err.Error()})
	}
	seen := []string{here.Root()}
	for _, r := range rows {
		root := filepath.Clean(r.Project)
		if !filepath.IsAbs(root) || slices.Contains(seen, root) {
			continue
		}
		seen = append(seen, root)
		if turnstile.HasState(root) {
			list = append(list, turnstile.Open(root, a.Env))
		}
	}
	return list
}
