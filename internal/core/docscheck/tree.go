package docscheck

import (
	"path"
	"slices"
	"strings"
)

// Tree is a repository as its documents see it: its files, and what became of
// those that are no longer there. It does no I/O: the caller lists the files and
// provides a function that reads them.
type Tree struct {
	// Gone maps the path of a file or folder that existed once to the path that it
	// moved to, "" if it was deleted.
	Gone map[string]string
	// Unlisted are folders whose content is unknown, such as submodules.
	Unlisted []string

	readFile func(path string) (text string, ok bool)
	files    []string
	children map[string][]entry  // by folder; "" is the root
	named    map[string][]string // files by their base name
	ignored  []string            // patterns of .gitignore
}

type entry struct {
	name  string
	isDir bool
}

// NewTree makes a tree of the files at these paths, separated by slashes and
// relative to the root.
func NewTree(files []string, read func(path string) (text string, ok bool)) *Tree {
	t := &Tree{readFile: read, children: map[string][]entry{"": nil}, named: map[string][]string{}}
	t.files = slices.Compact(slices.Sorted(slices.Values(files)))
	for _, file := range t.files {
		t.named[path.Base(file)] = append(t.named[path.Base(file)], file)
		for child, isDir := file, false; child != ""; isDir = true {
			dir := cleanPath(path.Dir(child))
			e := entry{path.Base(child), isDir}
			if slices.Contains(t.children[dir], e) {
				break
			}
			t.children[dir] = append(t.children[dir], e)
			child = dir
		}
	}
	text, _ := t.readFile(".gitignore")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line[0] != '!' {
			t.ignored = append(t.ignored, line)
		}
	}
	return t
}

// Has tells whether a file or folder exists.
func (t *Tree) Has(name string) bool { return t.isDir(name) || t.isFile(name) }

func (t *Tree) isFile(name string) bool {
	_, found := slices.BinarySearch(t.files, cleanPath(name))
	return found
}

func (t *Tree) isDir(name string) bool {
	_, found := t.children[cleanPath(name)]
	return found
}

// dirsNamed returns the paths of all folders with a base name.
func (t *Tree) dirsNamed(name string) []string {
	var dirs []string
	for dir := range t.children {
		if path.Base(dir) == name {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	return dirs
}

// existed tells whether git remembers a path that is gone.
func (t *Tree) existed(name string) bool {
	_, existed := t.Gone[cleanPath(name)]
	return existed
}

// commonNames are base names that unrelated files share.
var commonNames = []string{"README.md", "index.md", "main.go", "doc.go", "index.js", "index.ts", "__init__.py", "package.json", "Makefile", "Dockerfile", "SKILL.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE.md", "config.json", "config.yaml", "config.yml", "go.mod"}

// successor returns the one path that a missing path can stand for now: where git
// says that it moved, or else the only file with the same name.
func (t *Tree) successor(name string) (string, bool) {
	name = cleanPath(name)
	seen := map[string]bool{"": true}
	for at := name; !seen[at]; {
		seen[at] = true
		if at = t.Gone[at]; at != "" && t.Has(at) {
			return cleanPath(at), true
		}
	}
	base := path.Base(name)
	if same := t.named[base]; len(same) == 1 && path.Ext(base) != "" && !slices.Contains(commonNames, base) {
		return same[0], true
	}
	return "", false
}

// buildDirs are folders that builds create, whether git ignores them or not.
var buildDirs = []string{"dist", "build", "target", "out", "node_modules", "vendor", "coverage", ".venv", "venv", "__pycache__", "tmp", ".git"}

// mayBeBuilt tells whether a path is one that git ignores or a build creates: it
// may exist on a reader's machine though the repository does not have it.
func (t *Tree) mayBeBuilt(name string) bool {
	name = cleanPath(name)
	if first, _, _ := strings.Cut(name, "/"); slices.Contains(buildDirs, first) && !t.isDir(first) {
		return true
	}
	for ; name != ""; name = cleanPath(path.Dir(name)) {
		if slices.Contains(t.Unlisted, name) || slices.ContainsFunc(t.ignored, func(p string) bool { return ignores(p, name) }) {
			return true
		}
	}
	return false
}

// ignores tells whether a pattern of .gitignore matches a path.
func ignores(pattern, name string) bool {
	pattern = strings.TrimSuffix(pattern, "/")
	rooted := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "/"), "**/")
	pattern = strings.TrimSuffix(strings.TrimSuffix(pattern, "/**"), "/*")
	whole, _ := path.Match(pattern, name)
	base, _ := path.Match(pattern, path.Base(name))
	return whole || base && !rooted
}

// cleanPath spells a path of the repository in one way; the root is "".
func cleanPath(name string) string {
	if name = path.Clean(name); name == "." || name == "/" {
		return ""
	}
	return strings.TrimPrefix(name, "/")
}
