package git

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/durable"
)

// Place is where a repository keeps its references. Reading them here starts no process, because
// hooks do it on every tool call.
type Place struct {
	Top    string // the work tree's top folder
	dir    string // this work tree's git folder
	common string // the git folder that all work trees share
}

// Locate finds the repository around a folder by looking for .git.
func Locate(dir string) (Place, bool) {
	for {
		path := filepath.Join(dir, ".git")
		if folder, ok := isTop(path); ok {
			p := Place{Top: dir, dir: path, common: path}
			return p, folder || p.linked(path)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return Place{}, false
		}
		dir = up
	}
}

// IsTop reports whether a folder is the top of a work tree.
func IsTop(dir string) bool {
	_, ok := isTop(filepath.Join(dir, ".git"))
	return ok
}

// isTop reports whether a path is the .git of a work tree, and whether it is a folder. Like git, it
// ignores an empty .git folder: sandboxes leave them behind.
func isTop(path string) (folder, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return false, err == nil
	}
	for _, name := range []string{"HEAD", "objects"} {
		if _, err := os.Lstat(filepath.Join(path, name)); err == nil {
			return true, true
		}
	}
	return false, false
}

// LocateIn finds the repository around a folder if its work tree has the given top. If that one is
// gone, an enclosing repository must not be taken for it.
func LocateIn(dir, top string) (Place, bool) {
	p, ok := Locate(dir)
	if !ok || p.Top != top && !SameFolder(p.Top, top) {
		return Place{}, false
	}
	_, err := os.Stat(filepath.Join(p.common, "objects"))
	return p, err == nil
}

// SameFolder reports whether two paths lead to one folder.
func SameFolder(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// At returns the Place of a git folder, such as git passes to hooks.
func At(gitDir string) Place {
	p := Place{dir: gitDir, common: gitDir}
	p.share()
	if filepath.Base(p.dir) == ".git" {
		p.Top = filepath.Dir(p.dir)
	} else if top, ok := worktree(filepath.Join(p.dir, "gitdir")); ok {
		p.Top = top
	}
	return p
}

// worktree returns the top folder of the linked work tree that a gitdir file points to. Newer
// versions of git may write a relative path into it.
func worktree(file string) (string, bool) {
	text, err := durable.ReadPlain(file)
	if err != nil {
		return "", false
	}
	to := strings.TrimSpace(string(text))
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(file), to)
	}
	return filepath.Dir(to), true
}

// linked follows the .git file of a linked worktree or a submodule.
func (p *Place) linked(file string) bool {
	text, err := durable.ReadPlain(file)
	if err != nil {
		return false
	}
	to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return false
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(filepath.Dir(file), to)
	}
	p.dir, p.common = to, to
	p.share()
	return true
}

func (p *Place) share() {
	text, err := durable.ReadPlain(filepath.Join(p.dir, "commondir"))
	if err != nil {
		return
	}
	p.common = strings.TrimSpace(string(text))
	if !filepath.IsAbs(p.common) {
		p.common = filepath.Join(p.dir, p.common)
	}
}

// Worktrees lists the top folders of the main and all linked work trees.
func (p Place) Worktrees() []string {
	var tops []string
	if filepath.Base(p.common) == ".git" {
		tops = append(tops, filepath.Dir(p.common))
	}
	files, _ := filepath.Glob(filepath.Join(p.common, "worktrees", "*", "gitdir")) // the pattern is well-formed
	for _, f := range files {
		if top, ok := worktree(f); ok {
			tops = append(tops, top)
		}
	}
	return tops
}

// GitDir returns this work tree's git folder.
func (p Place) GitDir() string { return p.dir }

// Common returns the git folder that all work trees share.
func (p Place) Common() string { return p.common }

// Checked returns the branch that is checked out, "" when HEAD is detached.
func (p Place) Checked() (string, error) {
	text, err := durable.ReadPlain(filepath.Join(p.dir, "HEAD"))
	if err != nil {
		return "", err
	}
	branch, _ := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: refs/heads/")
	if branch == strings.TrimSpace(string(text)) {
		return "", nil
	}
	if branch == ".invalid" { // repositories with reftables write this
		return Repo{Dir: p.Top}.askBranch()
	}
	return branch, nil
}

// Tip returns the commit of a branch, "" if there is no such branch.
func (p Place) Tip(branch string) (string, error) {
	if p.hasReftable() {
		hash, err := Repo{Dir: p.Top}.Ref("refs/heads/" + branch)
		if errors.Is(err, ErrNoRef) {
			return "", nil
		}
		return hash, err
	}
	return p.resolve("refs/heads/" + branch)
}

// hasReftable reports whether references are kept in reftables instead of files.
func (p Place) hasReftable() bool {
	_, err := os.Lstat(filepath.Join(p.common, "reftable"))
	return err == nil
}

// headRef returns the reference in the HEAD file, "" if it is detached. ok is false if HEAD is not
// a plain file, which only git can read.
func (p Place) headRef() (ref string, ok bool) {
	file := filepath.Join(p.dir, "HEAD")
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	text, err := durable.ReadPlain(file)
	head := strings.TrimSpace(string(text))
	ref, is := strings.CutPrefix(head, "ref: ")
	if is {
		return ref, err == nil && IsRef(ref)
	}
	return "", err == nil && IsHash(head)
}

// resolve returns the commit of a reference kept as a file, "" if there is none.
func (p Place) resolve(ref string) (string, error) {
	for range 5 { // a symbolic reference points to another
		text, err := durable.ReadPlain(filepath.Join(p.common, filepath.FromSlash(ref)))
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
			return p.packed(ref)
		}
		if err != nil {
			if info, e := os.Stat(filepath.Join(p.common, filepath.FromSlash(ref))); e == nil && info.IsDir() {
				return p.packed(ref)
			}
			return "", err
		}
		hash := strings.TrimSpace(string(text))
		to, symbolic := strings.CutPrefix(hash, "ref: ")
		if !symbolic {
			return hash, nil
		}
		if !strings.HasPrefix(to, "refs/") || !IsRef(to) {
			return "", errors.New("the reference " + ref + " leads out of git's references")
		}
		ref = to
	}
	return "", errors.New("the reference " + ref + " leads in circles")
}

// packed looks up a reference in packed-refs.
func (p Place) packed(ref string) (string, error) {
	text, err := durable.ReadPlain(filepath.Join(p.common, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	for line := range bytes.Lines(text) {
		hash, name, ok := strings.Cut(strings.TrimSpace(string(line)), " ")
		if ok && name == ref {
			return hash, nil
		}
	}
	return "", nil
}

// HooksPath returns core.hooksPath from the repository's configuration, if set. It does not read
// the user's and the system's configuration, because that takes a process.
func (p Place) HooksPath() (string, bool) {
	text, err := durable.ReadPlain(filepath.Join(p.common, "config"))
	if err != nil || !bytes.Contains(bytes.ToLower(text), []byte("hookspath")) {
		return "", false
	}
	dir, found, err := Repo{Dir: p.Top}.maybe("config", "--local", "--type=path", "--get", "core.hooksPath")
	if err != nil || !found {
		return "", false
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(p.Top, dir)
	}
	return dir, true
}

// Remotes returns the URLs of each remote in the repository's configuration, including those for
// pushing.
func (p Place) Remotes() map[string][]string {
	text, err := durable.ReadPlain(filepath.Join(p.common, "config"))
	if err != nil {
		return nil
	}
	remotes := map[string][]string{}
	name := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			name = ""
			if quoted, ok := strings.CutPrefix(head, `remote "`); ok {
				name, _, _ = strings.Cut(quoted, `"]`)
			}
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if ok && name != "" && (key == "url" || key == "pushurl") {
			remotes[name] = append(remotes[name], strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return remotes
}
