package hook

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/command"
	"warp/internal/core/drivestate"
	"warp/internal/sys/git"
	"warp/internal/sys/spoken"
	"warp/internal/turnstile"
)

// protected are the files under .claude that only warp and people write: the
// state, and what says how the agent is held to it.
var protected = []string{
	".warp-drive-state.json", ".warp-drive-owner.json", ".warp-drive-setup.json", ".warp-drive.lock", "issues",
	"state", "locks", "locks.json", "pipeline-runs", "agent-state.json", "learnings.jsonl", "checkpoint.json",
	"settings.json", "settings.local.json", "hooks",
}

// guardFile keeps editing tools away from warp's own files, from what is
// outside the project, and from the main branch.
func guardFile(c *call) error {
	files := c.files()
	if files == nil || !turnstile.HasState(c.drive.Root()) {
		return nil
	}
	v, err := c.viewInTime()
	if err != nil {
		return err
	}
	if v == nil {
		if why := c.explainLostDrive(); why != "" {
			return errors.New(why)
		}
		return nil
	}
	for _, file := range files {
		if why := c.refuseFile(v.State, c.resolvePath(file)); why != "" {
			c.answer.deny(why)
			c.recordDenial("file", file)
			return nil
		}
	}
	return nil
}

func (c *call) refuseFile(s *drivestate.State, full string) string {
	if s.Frozen != nil {
		return checkPermission(s, "edit", "")
	}
	root := resolveLinks(c.drive.Root())
	home := c.repository()
	if own := c.findProtected(full, false); own != "" {
		return fmt.Sprintf("%s belongs to warp or git: change it only through them (warp issue check, warp state transition, git commit)", own)
	}
	if !isInside(full, root) && (home.Top == "" || !isInside(full, resolveLinks(home.Top))) {
		return fmt.Sprintf("%s is outside the project %s: a drive changes nothing there", full, root)
	}
	if on, err := home.Checked(); home.Top != "" && err == nil && on == s.MainBranch && s.Phase != drivestate.Merging {
		way := "git switch -c feature/issue-" + s.Issue() + "-title"
		if s.BranchName() != "" && s.BranchName() != on {
			way = "git switch " + s.BranchName()
		}
		return fmt.Sprintf("Must not be on main/master: %s is checked out, and a drive never works on it; switch to the drive's branch first (%s)", on, way)
	}
	return ""
}

// resolvePath is the file that a path really leads to, also when the last parts of
// it do not exist yet.
func (c *call) resolvePath(file string) string {
	if !filepath.IsAbs(file) {
		dir := c.Dir
		if !filepath.IsAbs(dir) {
			dir = c.drive.Root()
		}
		file = filepath.Join(dir, file)
	}
	return resolveLinks(file)
}

func resolveLinks(file string) string {
	file = filepath.Clean(file)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return followLinks(file, 40) // as many links as the kernel follows
}

// followLinks resolves a path whose end does not exist, link by link.
func followLinks(file string, links int) string {
	if to, err := os.Readlink(file); err == nil && links > 0 {
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		return followLinks(filepath.Clean(to), links-1)
	}
	up := filepath.Dir(file)
	if up == file {
		return file
	}
	if real, err := filepath.EvalSymlinks(up); err == nil {
		return filepath.Join(real, filepath.Base(file))
	}
	return filepath.Join(followLinks(up, links), filepath.Base(file))
}

func isInside(file, dir string) bool {
	return file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

// listGuarded lists what only warp and git may write, as full paths.
func (c *call) listGuarded() []string {
	roots, home := []string{resolveLinks(c.drive.Root())}, c.repository()
	if tops := home.Worktrees(); len(tops) > 0 { // a linked work tree has the settings of the main one
		roots = append(roots, resolveLinks(tops[0]))
	}
	var list []string
	for _, root := range roots {
		list = append(list, filepath.Join(root, ".codex"), filepath.Join(root, ".gemini", "settings.json"))
		for _, name := range protected {
			list = append(list, filepath.Join(root, ".claude", name))
		}
	}
	if home.Common() != "" {
		list = append(list, resolveLinks(home.Common()), resolveLinks(home.GitDir()))
		if home.Top != "" {
			list = append(list, filepath.Join(resolveLinks(home.Top), ".git"))
		}
		for _, dir := range hookFolders(home) {
			list = append(list, filepath.Join(dir, "reference-transaction"), filepath.Join(dir, "pre-push"))
		}
	}
	return list
}

// hookFolders are where the repository's hooks may be, besides its git folder.
func hookFolders(home git.Place) []string {
	if dir, ok := home.HooksPath(); ok {
		return []string{resolveLinks(dir)}
	}
	return nil
}

// findProtected returns the guarded path that a file is, is under, matches as a
// pattern, or, with whole, contains; "" when it is none.
func (c *call) findProtected(full string, whole bool) string {
	for _, own := range c.listGuarded() {
		switch {
		case isInside(full, own), couldMatch(full, own):
			return own
		case whole && isInside(own, full):
			return own
		}
	}
	if base := filepath.Base(full); strings.HasPrefix(base, "checkpoint-") && filepath.Base(filepath.Dir(full)) == ".claude" {
		return full
	}
	return ""
}

// couldMatch tells whether a pattern could match a path or a folder above it, or
// something under it. A star does not match the dot that begins a name.
func couldMatch(pattern, own string) bool {
	if !strings.ContainsAny(pattern, "*?[") {
		return false
	}
	want, have := strings.Split(filepath.ToSlash(pattern), "/"), strings.Split(filepath.ToSlash(own), "/")
	for i := range min(len(want), len(have)) {
		hidden := strings.HasPrefix(have[i], ".") && !strings.HasPrefix(want[i], ".")
		if ok, err := path.Match(want[i], have[i]); err == nil && (!ok || hidden) {
			return false
		}
	}
	return true
}

// makers create beside what is there; all other commands that name a folder
// may take it away with all that is in it.
var makers = []string{"mkdir", "cp", "touch", "tee", "install", "ln"}

// findStateFolder returns the user's state folder where a file is in it, or, with whole, contains it:
// keys, what is trusted, and what a person has typed are there.
func (c *call) findStateFolder(full string, whole bool) string {
	folder, ok := spoken.Folder(c.env.Getenv)
	folder = resolveLinks(folder)
	if ok && (isInside(full, folder) || couldMatch(full, folder) || whole && isInside(folder, full)) {
		return folder
	}
	return ""
}

func (c *call) refuseTouch(act command.Act) string {
	if act.Path == "" {
		return ""
	}
	first, _, _ := strings.Cut(act.Words, " ")
	own := c.findProtected(resolveLinks(act.Path), !slices.Contains(makers, first))
	if own == "" {
		own = c.findStateFolder(resolveLinks(act.Path), first == "rm")
	}
	if own != "" {
		return fmt.Sprintf("`%s` writes to %s, which belongs to warp or git: change it only through them", act.Words, own)
	}
	return ""
}
