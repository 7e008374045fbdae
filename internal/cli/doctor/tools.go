package doctor

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"warp/internal/cli/app"
	"warp/internal/cli/sandboxes"
	"warp/internal/core/config"
	"warp/internal/engine/trust"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/sys/sandbox"
)

// ask runs a tool and returns the first line of its output.
func (x exam) ask(argv ...string) (line string, found, good bool) {
	r, err := proc.Run(x.ctx, proc.Cmd{Argv: argv, Dir: x.drive.Root(), Timeout: callTimeout})
	if errors.Is(err, exec.ErrNotFound) {
		return "", false, false
	}
	line, _, _ = strings.Cut(strings.TrimSpace(string(r.Stdout)+string(r.Stderr)), "\n")
	return line, true, err == nil && r.Exit == 0
}

// tools requires git, a repository, and a commit to build on.
func tools(x exam) []Finding {
	line, found, good := x.ask("git", "--version")
	switch {
	case !found:
		return []Finding{problem("git", "not found", "install git")}
	case !good:
		return []Finding{problem("git", line, "git --version must work")}
	}
	out := []Finding{ok("git", line)}
	repo, err := git.Open(x.drive.Root())
	if err != nil {
		return append(out, explainNoRepository(x.drive.Root(), err))
	}
	head, err := repo.Head()
	switch {
	case err != nil:
		return append(out, problem("repository", err.Error(), "run git status there"))
	case head == "":
		return append(out, problem("repository", "it has no commit yet, so there is nothing to build on", "make a first commit"))
	}
	return append(out, ok("repository", x.drive.Root()))
}

// explainNoRepository explains why there is no repository. git init must not be suggested for a
// work tree or submodule whose repository was moved.
func explainNoRepository(root string, err error) Finding {
	if !errors.Is(err, git.ErrNotRepo) {
		return problem("repository", err.Error(), "run git status there")
	}
	link, bad := os.ReadFile(filepath.Join(root, ".git"))
	if named, is := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: "); bad == nil && is {
		if strings.Contains(filepath.ToSlash(named), "/modules/") {
			return problem("repository", "the repository of this submodule is missing: "+named, "run git submodule update --init in the repository around it")
		}
		return problem("repository", "this work tree belongs to a repository that is gone: "+named, "run git worktree repair "+root+" where the repository is now")
	}
	return problem("repository", err.Error(), "run git init, or cd into a repository")
}

// checkSandbox reports how agents are confined here, and how to improve it.
func checkSandbox(x exam) []Finding {
	s, err := x.drive.Project.Settings()
	if err != nil || s.Refused != nil {
		return nil // another check reports it
	}
	w, why, err := sandboxes.Open(x.app, x.drive.Root(), s)
	if err != nil {
		return []Finding{problem("sandbox", err.Error(), "warp config set sandbox auto")}
	}
	detail := fmt.Sprintf("agents are %s (%s)", w.Box.Holds(), w.Box.Kind())
	if w.Box.Holds() == sandbox.Contained {
		return []Finding{ok("sandbox", detail)}
	}
	switch chosen := sandboxes.Chosen(x.app, s); {
	case chosen != sandbox.Auto: // chosen, even if another would work
		return []Finding{warning("sandbox", fmt.Sprintf("%s: %s was chosen", detail, chosen), "warp config set sandbox auto, and no --sandbox or "+app.SandboxVariable)}
	case runtime.GOOS == "linux":
		why += "; then warp sandbox explain shows what agents see"
	}
	return []Finding{warning("sandbox", detail, why)}
}

// Free space on a nearly full disk, and on one that a night will probably fill.
const (
	fullBelow = 100 << 20
	lowBelow  = 1 << 30
)

// disk requires space where a night writes: the project, the user's state folder, and temporary
// files.
func disk(x exam) (out []Finding) {
	places := [][2]string{{"project", x.drive.Root()}, {"temporary files", os.TempDir()}}
	if state, err := trust.Folder(x.app.Getenv); err == nil {
		places = append(places, [2]string{"state", state})
	}
	least, where := int64(-1), ""
	for _, p := range places {
		free, known := proc.FreeSpace(nearestExisting(p[1]))
		switch {
		case !known:
		case free < fullBelow:
			out = append(out, problem("disk", fmt.Sprintf("%s free in %s (%s)", bytesOf(free), p[1], p[0]), "make room there"))
		case free < lowBelow:
			out = append(out, warning("disk", fmt.Sprintf("%s free in %s (%s)", bytesOf(free), p[1], p[0]), "make room there"))
		case least < 0 || free < least:
			least, where = free, p[0]
		}
	}
	if out == nil && least >= 0 {
		out = append(out, ok("disk", fmt.Sprintf("at least %s free (%s)", bytesOf(least), where)))
	}
	return out
}

// nearestExisting returns the nearest existing folder above a path.
func nearestExisting(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

func bytesOf(n int64) string {
	if n < lowBelow {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
}

// identity checks that commits can be made here, and in Gemini CLI's shell, which hides the
// user's git configuration and disables git hooks.
func identity(x exam) []Finding {
	cfg, _ := x.drive.Project.Settings() // another check reports errors
	var out []Finding
	mine, found, set := x.ask("git", "config", "user.email")
	tree, err := app.OpenTree(x.drive)
	if err == nil {
		err = tree.Identity(x.ctx)
	}
	switch {
	case !found, errors.Is(err, git.ErrNotRepo): // another check reports it
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
