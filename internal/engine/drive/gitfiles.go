package drive

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// gitFile is a file, or where a link leads to.
type gitFile struct {
	Text []byte      `json:"text"`
	Link bool        `json:"link,omitempty"`
	Mode fs.FileMode `json:"mode,omitempty"`
}

// read reads the files that say how git behaves.
func (g gitGuard) read() map[string]gitFile {
	files := map[string]gitFile{}
	names := []string{"config", "config.worktree", "info/exclude", "info/attributes"}
	if own, err := filepath.Rel(g.common, g.own); err == nil && own != "." {
		names = append(names, filepath.ToSlash(own)+"/config.worktree")
	}
	hooks, _ := os.ReadDir(filepath.Join(g.common, "hooks")) // none, then
	for _, h := range hooks {
		if !strings.HasSuffix(h.Name(), ".sample") {
			names = append(names, "hooks/"+h.Name())
		}
	}
	for _, name := range names {
		if f, ok := readGit(filepath.Join(g.common, name)); ok {
			files[name] = f
		}
	}
	return files
}

// readGit reads a file of git's, and a link without following it.
func readGit(path string) (f gitFile, ok bool) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
	case info.Mode().IsRegular():
		f.Mode = info.Mode().Perm()
		f.Text, err = os.ReadFile(path)
	case info.Mode()&fs.ModeSymlink != 0:
		var to string
		to, err = os.Readlink(path)
		f.Text, f.Link = []byte(to), true
	default:
		return f, false
	}
	return f, err == nil
}

// unchanged tells whether a file is as it was; git's settings may have got
// branches of others, which git itself adds.
func (g *guard) unchanged(name string, is, was gitFile) bool {
	if is.Link != was.Link || is.Mode != was.Mode {
		return false
	}
	more, ok := bytes.CutPrefix(is.Text, was.Text)
	return ok && (len(more) == 0 || name == "config" && bytes.HasSuffix(was.Text, []byte("\n")) && g.branchesOnly(string(more), string(was.Text)))
}

// branchesOnly tells whether settings only say what branches follow that are none
// of the drive's, in a remote that is known.
func (g *guard) branchesOnly(more, was string) bool {
	in := false
	for line := range strings.Lines(more) {
		line = strings.TrimSpace(line)
		if name, is := strings.CutPrefix(line, `[branch "`); is {
			name, in = strings.CutSuffix(name, `"]`)
			if _, ours := g.tips[name]; !in || ours || strings.ContainsAny(name, `"\`) {
				return false
			}
			continue
		}
		key, value, _ := strings.Cut(line, " = ")
		switch {
		case !in || strings.ContainsAny(value, `"\;#`):
			return false
		case key == "remote" && (value == "." || strings.Contains("\n"+was, "\n[remote \""+value+"\"]\n")):
		case key == "merge" && strings.HasPrefix(value, "refs/heads/"):
		default:
			return false
		}
	}
	return true
}

// differ lists the files that are not as they were.
func (g *guard) differ(was map[string]gitFile) (names []string) {
	now := g.git.read()
	for name, is := range now {
		if w, had := was[name]; !had || !g.unchanged(name, is, w) {
			names = append(names, name)
		}
	}
	for name := range was {
		if _, there := now[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (f gitFile) write(path string) error {
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.RemoveAll(path)); err != nil {
		return err
	}
	if f.Link {
		return os.Symlink(string(f.Text), path)
	}
	return errors.Join(os.WriteFile(path, f.Text, f.Mode), os.Chmod(path, f.Mode))
}
