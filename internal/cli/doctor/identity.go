package doctor

import (
	"os"
	"path/filepath"
	"slices"

	"warp/internal/core/config"
)

// identity says whether commits can be made here, and in the shell of Gemini CLI, which
// hides the user's own settings of git from it and switches git's hooks off.
func identity(x exam) []finding {
	cfg, _ := x.drive.Project.Settings() // what is wrong with them is said elsewhere
	var out []finding
	mine, found, set := x.ask("git", "config", "user.email")
	if found && !set && x.app.Getenv("GIT_AUTHOR_EMAIL") == "" {
		out = append(out, note("identity", "git has no identity for commits: user.email is not set", "git config --global user.email you@example.com, and user.name"))
	}
	if !usesGemini(x, cfg) {
		return out
	}
	if _, _, here := x.ask("git", "config", "--local", "user.email"); !here && set {
		out = append(out, note("gemini", "commits in Gemini CLI's shell fail: it hides your global git settings, and this repository has no user.email",
			"git config user.email "+mine+", and user.name, in this repository"))
	}
	return append(out, note("gemini", "Gemini CLI clears core.hooksPath in its shell: git hooks, warp's and yours, do not run there",
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
