package doctor

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"warp/internal/cli/app"
	"warp/internal/core/config"
	"warp/internal/sys/git"
)

// identity says whether commits can be made here, and in the shell of Gemini CLI, which
// hides the user's own settings of git from it and switches git's hooks off.
func identity(x exam) []Finding {
	cfg, _ := x.drive.Project.Settings() // what is wrong with them is said elsewhere
	var out []Finding
	mine, found, set := x.ask("git", "config", "user.email")
	tree, err := app.OpenTree(x.drive)
	if err == nil {
		err = tree.Identity(x.ctx)
	}
	switch {
	case !found, errors.Is(err, git.ErrNotRepo): // said elsewhere
	case err != nil:
		out = append(out, problem("identity", err.Error(), ""))
	case !set && x.app.Getenv("GIT_COMMITTER_EMAIL") == "":
		out = append(out, warning("identity", "user.email is not set, so git makes up an address for commits", "git config --global user.email you@example.com, and user.name"))
	default:
		out = append(out, ok("identity", "git has an identity for commits"))
	}
	if !usesGemini(x, cfg) {
		return out
	}
	if _, _, here := x.ask("git", "config", "--local", "user.email"); !here && set {
		out = append(out, warning("gemini", "commits in Gemini CLI's shell fail: it hides your global git settings, and this repository has no user.email",
			"git config user.email "+mine+", and user.name, in this repository"))
	}
	return append(out, warning("gemini", "Gemini CLI clears core.hooksPath in its shell: git hooks, warp's and yours, do not run there",
		"warp finds such commits by comparing before the next step"))
}

// usesGemini reports whether Gemini CLI works in this project.
func usesGemini(x exam, cfg config.Settings) bool {
	if cfg.Agent == "gemini" || slices.Contains(cfg.Agents, "gemini") {
		return true
	}
	_, err := os.Lstat(filepath.Join(x.drive.Root(), ".gemini", "settings.json"))
	return err == nil
}
