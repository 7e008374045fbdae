package pinned

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/durable"
)

// entry is a file as it was seen.
type entry struct {
	path  string
	stamp string // changes with each write
	mode  fs.FileMode
}

// instructions are loaded by agents, from a project's folder.
var instructions = []string{"CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".mcp.json"}

// list returns the files that are there, in a fixed order. hooks is the folder of git's hooks, if
// it has another place: as it was when the files were copied, since what a session sets must never
// decide which files are taken for added.
func (b Book) list(hooks string) (list []entry) {
	roots := []string{b.root}
	if top := filepath.Dir(b.git.Common()); top != b.root && filepath.Base(b.git.Common()) == ".git" {
		roots = append(roots, top) // a linked work tree uses the settings and issues of the main one
	}
	for _, root := range roots {
		own := filepath.Join(root, ".claude")
		list = appendFolder(list, own, isSettings)
		list = appendFolder(list, filepath.Join(own, "hooks"), nil)
		for _, folder := range []string{"issues", "pulls"} {
			list = appendFolder(list, filepath.Join(own, folder), isIssue)
		}
		for _, name := range instructions {
			list = appendFile(list, filepath.Join(root, name))
		}
		list = appendFolder(list, filepath.Join(root, ".husky"), nil)
	}
	common := b.git.Common()
	list = appendFile(list, filepath.Join(common, "config"))
	list = appendFile(list, filepath.Join(common, "config.worktree"))
	list = appendFolder(list, filepath.Join(common, "hooks"), func(name string) bool { return !strings.HasSuffix(name, ".sample") })
	if hooks != "" {
		list = appendFolder(list, hooks, nil)
	}
	return list
}

func isSettings(name string) bool {
	return strings.HasPrefix(name, "settings") && strings.HasSuffix(name, ".json")
}

// isIssue leaves out what the tracker counts with.
func isIssue(name string) bool { return strings.HasSuffix(name, ".md") }

// hooksPath returns core.hooksPath from the repository's configuration, "" if there is none inside
// the work tree. It starts no process, and so understands what git and husky write, not all that a
// person might.
func (b Book) hooksPath() string {
	text, err := durable.ReadPlain(filepath.Join(b.git.Common(), "config"))
	if err != nil {
		return ""
	}
	at := bytes.Index(bytes.ToLower(text), []byte("hookspath"))
	if at < 0 {
		return ""
	}
	line, _, _ := bytes.Cut(text[at:], []byte("\n"))
	_, value, _ := strings.Cut(string(line), "=")
	dir := strings.Trim(strings.TrimSpace(value), `"`)
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(b.git.Top, filepath.FromSlash(dir))
	}
	if !strings.HasPrefix(dir, b.git.Top+string(filepath.Separator)) {
		return ""
	}
	return dir
}

func appendFolder(list []entry, dir string, fits func(name string) bool) []entry {
	found, _ := os.ReadDir(dir) // a missing folder has no files
	for _, f := range found {
		name := f.Name()
		if !f.IsDir() && !strings.HasSuffix(name, ".tmp") && (fits == nil || fits(name)) {
			list = appendFile(list, filepath.Join(dir, name))
		}
	}
	return list
}

func appendFile(list []entry, path string) []entry {
	info, err := os.Lstat(path)
	if err != nil || info.IsDir() {
		return list
	}
	return append(list, entry{path, stampOf(info), info.Mode()})
}

// writeIndex writes the folder of git's hooks, and each file with its stamp.
func writeIndex(text *strings.Builder, hooks string, list []entry) {
	text.WriteString(hooks + "\n")
	for _, f := range list {
		text.WriteString(f.stamp)
		text.WriteByte('\t')
		text.WriteString(f.path)
		text.WriteByte('\n')
	}
}

// parse reads the stamps of an index.
func parse(index []byte) map[string]string {
	stamps := map[string]string{}
	for line := range strings.Lines(string(index)) {
		if stamp, path, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok {
			stamps[path] = stamp
		}
	}
	return stamps
}
