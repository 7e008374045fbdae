package hook

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/command"
	"warp/internal/core/drivestate"
	"warp/internal/sys/git"
	"warp/internal/sys/typed"
	"warp/internal/turnstile"
)

// protected lists the files under .claude that only warp and people write: the state, and the
// settings and hooks that bind the agent to it.
var protected = []string{
	".warp-drive-state.json", ".warp-drive-owner.json", ".warp-drive-setup.json", ".warp-drive.lock", "issues",
	"state", "locks", "locks.json", "pipeline-runs", "agent-state.json", "learnings.jsonl", "checkpoint.json",
	"settings.json", "settings.local.json", "hooks",
}

// guardFile keeps editing tools away from warp's own files, from files outside the project, and
// from the main branch.
func guardFile(c *call) error {
	files := c.listFiles()
	switch {
	case files == nil:
		return nil
	case !turnstile.HasState(c.drive.Root()):
		return c.sight.checkLoss()
	}
	v, err := c.viewInTime()
	if err != nil {
		return err
	}
	if v == nil {
		return c.sight.checkLoss()
	}
	own := ownFiles{c.drive.Root(), locateRepository(c.drive), c.env.Getenv}
	for _, file := range files {
		if why := own.refuseEdit(v.State, c.files.resolve(file)); why != "" {
			c.answer.deny(why)
			c.recordDenial("file", file)
			return nil
		}
	}
	return nil
}

// ownFiles finds the files that only warp and git may write.
type ownFiles struct {
	root   string    // the project's root
	home   git.Place // its repository
	getenv func(string) string
}

// refuseEdit returns why a file may not be edited now; "" if it may.
func (o ownFiles) refuseEdit(s *drivestate.State, full string) string {
	if s.Frozen != nil {
		return checkPermission(s, "edit", "")
	}
	root, home := resolveLinks(o.root), o.home
	if own := o.find(full, false); own != "" {
		return fmt.Sprintf("%s belongs to warp or git: change it only through them (warp issue check, warp state transition, git commit)", own)
	}
	if !isInside(full, root) && (home.Top == "" || !isInside(full, resolveLinks(home.Top))) {
		return fmt.Sprintf("%s is outside the project %s: a drive may not change files there", full, root)
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

// list returns their full paths; a folder covers everything in it.
func (o ownFiles) list() []string {
	roots, home := []string{resolveLinks(o.root)}, o.home
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
		if dir, ok := home.HooksPath(); ok {
			list = append(list, filepath.Join(resolveLinks(dir), "reference-transaction"), filepath.Join(resolveLinks(dir), "pre-push"))
		}
	}
	return list
}

// find returns the own file that writing to a path would touch; "" if none.
func (o ownFiles) find(full string, whole bool) string {
	for _, own := range o.list() {
		if touches(full, own, whole) {
			return own
		}
	}
	if base := filepath.Base(full); strings.HasPrefix(base, "checkpoint-") && filepath.Base(filepath.Dir(full)) == ".claude" {
		return full
	}
	return ""
}

// touches reports whether a path is an own file, lies below it, matches it as a pattern or, with
// whole, contains it.
func touches(full, own string, whole bool) bool {
	return isInside(full, own) || couldMatch(full, own) || whole && isInside(own, full)
}

// couldMatch reports whether a pattern could match a path, a folder above it or something below
// it. A star does not match the dot that begins a name.
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

// makers lists the commands that only add to a folder; any other command that names a folder may
// remove it with everything in it.
var makers = []string{"mkdir", "cp", "touch", "tee", "install", "ln"}

// findStateFolder returns the user's state folder if writing to a path would touch it. The folder
// holds keys, the list of trusted projects and the commands that a person has typed.
func (o ownFiles) findStateFolder(full string, whole bool) string {
	folder, ok := typed.Folder(o.getenv)
	folder = resolveLinks(folder)
	if ok && touches(full, folder, whole) {
		return folder
	}
	return ""
}

// refuseTouch returns why a command may not write to a path; "" if it may.
func (o ownFiles) refuseTouch(act command.Act) string {
	if act.Path == "" {
		return ""
	}
	first, _, _ := strings.Cut(act.Words, " ")
	own := o.find(resolveLinks(act.Path), !slices.Contains(makers, first))
	if own == "" {
		own = o.findStateFolder(resolveLinks(act.Path), first == "rm")
	}
	if own != "" {
		return fmt.Sprintf("`%s` writes to %s, which belongs to warp or git: change it only through them", act.Words, own)
	}
	return ""
}
