package initcmd

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

//go:embed githook.sh
var hookScript string

// gitHooks are the git hooks that guard a drive's branches.
var gitHooks = []string{"reference-transaction", "pre-push"}

// hookFolder is a repository's hooks folder.
type hookFolder struct {
	path   string
	shown  string // relative to the project if inside it
	inTree bool   // part of the work tree
	top    string // root of the work tree
	common string // the repository's git folder
}

func renderScript(name string, prog program, inTree bool) []byte {
	fallback := ""
	if !inTree && prog.path != "" { // a committed hook must not contain this machine's paths
		fallback = " " + quoteWord(filepath.ToSlash(prog.path))
	}
	return stamp(strings.NewReplacer("@NAME@", name, "@PROGRAM@", fallback).Replace(hookScript), shell)
}

func (p *plan) planGitHooks(ctx context.Context, prog program, want bool) {
	dir, why, err := findHooks(ctx, p.root)
	switch {
	case err != nil:
		p.fail(err)
		return
	case why != "":
		p.note("git hooks were skipped: %s", why)
		if _, repo := git.Locate(p.root); repo {
			p.blind = "git does not run warp's hooks: " + why
		}
		return
	case !want:
		p.releaseHooks(dir)
		return
	case dir.inTree:
		p.note("git hooks are in %s, a folder of the work tree: commit them if your team wants them", dir.shown)
	case filepath.IsAbs(dir.shown):
		p.note("git hooks are in %s (core.hooksPath): every repository that uses that folder shares them", dir.shown)
	}
	p.now.RememberHooks(filepath.ToSlash(dir.shown))
	p.common = dir.common
	for _, name := range gitHooks {
		in := dir.forHusky(name)
		if in != dir {
			p.leaveHusky(dir, name)
			p.now.RememberHooks(filepath.ToSlash(in.shown))
		}
		p.chain(in, name, renderScript(name, prog, in.inTree))
	}
}

// forHusky returns where a hook goes: where husky calls it from its own, if there is one. What lies in
// husky's own folder is overwritten by each npm install.
func (d hookFolder) forHusky(name string) hookFolder {
	up := filepath.Dir(d.path)
	if filepath.Base(d.path) != "_" || filepath.Base(up) != ".husky" {
		return d
	}
	h := readHook(d, name)
	parked, _ := durable.ReadPlain(h.parked)                           // an earlier version of warp put husky's aside
	if !bytes.Contains(slices.Concat(h.text, parked), []byte(`/h"`)) { // "$(dirname "$0")/h" or "${0%/*}/h", by husky's version
		return d
	}
	d.path, d.shown = up, filepath.Dir(d.shown)
	return d
}

// leaveHusky gives husky its own hook back, where an earlier version put ours in its place.
func (p *plan) leaveHusky(dir hookFolder, name string) {
	if readHook(dir, name).ours {
		p.unchain(dir, name)
	}
}

// releaseHooks removes our hooks from every folder they were put into: core.hooksPath may have
// changed since (husky sets it at each installation).
func (p *plan) releaseHooks(dir hookFolder) {
	if others := otherProjects(dir.common, p.root); len(others) > 0 {
		p.note("git hooks stay: they also guard %s", strings.Join(others, ", "))
		return
	}
	folders := []hookFolder{dir}
	for _, shown := range append(p.before.HookFolders(), filepath.Join(dir.common, "hooks")) {
		path := filepath.FromSlash(shown)
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.root, path)
		}
		folder := newHookFolder(filepath.Clean(path), p.root, dir.top, dir.common)
		known := slices.ContainsFunc(folders, func(f hookFolder) bool { return app.IsSameFolder(f.path, folder.path) })
		if !known && holdsOurs(folder) {
			folders = append(folders, folder)
		}
	}
	for _, folder := range folders {
		for _, name := range gitHooks {
			p.unchain(folder, name)
		}
	}
}

func isExecutable(file string) bool {
	info, err := os.Stat(file)
	return err == nil && (info.Mode().Perm()&0o111 != 0 || os.PathSeparator == '\\')
}

// misleadingVars are variables that would lead git to another repository or other hooks: Gemini CLI
// empties core.hooksPath in its shell with GIT_CONFIG_COUNT.
var misleadingVars = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_CONFIG_COUNT", "GIT_CONFIG_PARAMETERS"}

// findHooks asks git for its hooks folder; why is set if there is none to use.
func findHooks(ctx context.Context, root string) (dir hookFolder, why string, err error) {
	repo, err := git.Open(root)
	switch {
	case errors.Is(err, git.ErrNotRepo):
		return dir, "this is not a git repository", nil
	case errors.Is(err, git.ErrNoGit):
		return dir, "git is not installed", nil
	case err != nil:
		return dir, "", err
	}
	top, err := repo.Top()
	if err != nil {
		return dir, "", err
	}
	common, err := repo.CommonDir()
	if err != nil {
		return dir, "", err
	}
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(misleadingVars, name)
	})
	r, err := proc.Run(ctx, proc.Cmd{Argv: []string{"git", "-C", top, "rev-parse", "--git-path", "hooks"}, Dir: root, Env: env, Timeout: time.Minute})
	if err != nil {
		return dir, "", fmt.Errorf("asking git for its hooks folder: %w", err)
	}
	if r.Exit != 0 {
		return dir, "", fmt.Errorf("asking git for its hooks folder: git rev-parse --git-path hooks ended with %d: %s", r.Exit, strings.TrimSpace(string(r.Stderr)))
	}
	path := filepath.FromSlash(strings.TrimSuffix(string(r.Stdout), "\n"))
	if !filepath.IsAbs(path) {
		path = filepath.Join(top, path)
	}
	if info, err := os.Stat(path); path == top || err == nil && !info.IsDir() {
		return dir, fmt.Sprintf("core.hooksPath is %s, which is not a hooks folder; warp cannot guard refs there", path), nil
	}
	return newHookFolder(path, root, top, common), "", nil
}

func newHookFolder(path, root, top, common string) hookFolder {
	dir := hookFolder{path: path, shown: path, top: top, common: common}
	switch {
	case isInside(path, common): // the main work tree's, if this is a linked one
	case isInside(path, top):
		dir.inTree = true
	default:
		return dir
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if rel, err := filepath.Rel(root, path); err == nil {
		dir.shown = rel
	}
	return dir
}

func isInside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
