// Package tree is a repository as its documentation sees it: which files and
// folders there are, what they hold, and what became of those that are gone.
// It reads nothing itself: the caller says which files there are and gives
// their contents.
package tree

import (
	"path"
	"slices"
	"strings"
)

// Tree is a repository.
type Tree struct {
	// Moved tells where a file or folder went that once had this path.
	Moved map[string]string
	// Gone are the paths of files that were there once.
	Gone map[string]bool
	// Foreign are folders whose content is not known, such as submodules.
	Foreign []string

	read    func(string) (string, bool)
	texts   map[string]string
	files   []string
	entries map[string][]Entry // of each folder; "" is the root
	bases   map[string][]string
	ignored []string
}

// Entry is a file or folder in a folder.
type Entry struct {
	Name string
	Dir  bool
}

// New makes a tree of the files at these paths, separated by slashes and
// relative to the root.
func New(files []string, read func(path string) (string, bool)) *Tree {
	t := &Tree{read: read, texts: map[string]string{}, entries: map[string][]Entry{"": nil}, bases: map[string][]string{}}
	t.files = slices.Clone(files)
	slices.Sort(t.files)
	t.files = slices.Compact(t.files)
	for _, f := range t.files {
		t.bases[path.Base(f)] = append(t.bases[path.Base(f)], f)
		for name, dir := f, false; name != ""; dir = true {
			up, base := split(name)
			if slices.Contains(t.entries[up], Entry{base, dir}) {
				break
			}
			t.entries[up] = append(t.entries[up], Entry{base, dir})
			name = up
		}
	}
	if text, ok := t.Read(".gitignore"); ok {
		t.ignored = patterns(text)
	}
	return t
}

func split(name string) (dir, base string) {
	dir, base = path.Split(name)
	return strings.TrimSuffix(dir, "/"), base
}

// Files are the paths of all files, sorted.
func (t *Tree) Files() []string { return t.files }

// Entries are what a folder holds.
func (t *Tree) Entries(dir string) []Entry { return t.entries[clean(dir)] }

// Read is the content of a file.
func (t *Tree) Read(name string) (string, bool) {
	if text, ok := t.texts[name]; ok {
		return text, true
	}
	text, ok := t.read(name)
	if ok {
		t.texts[name] = text
	}
	return text, ok
}

// Has tells whether there is a file or folder.
func (t *Tree) Has(name string) bool { return t.IsDir(name) || t.IsFile(name) }

// IsFile tells whether there is a file.
func (t *Tree) IsFile(name string) bool {
	_, found := slices.BinarySearch(t.files, clean(name))
	return found
}

// IsDir tells whether there is a folder.
func (t *Tree) IsDir(name string) bool {
	_, found := t.entries[clean(name)]
	return found
}

// Dirs are the paths of all folders with a name.
func (t *Tree) Dirs(name string) []string {
	var all []string
	for dir := range t.entries {
		if path.Base(dir) == name {
			all = append(all, dir)
		}
	}
	slices.Sort(all)
	return all
}

// Named are the paths of all files with a name.
func (t *Tree) Named(base string) []string { return t.bases[base] }

// Was tells whether a path was there once.
func (t *Tree) Was(name string) bool {
	name = clean(name)
	if t.Gone[name] {
		return true
	}
	_, moved := t.Moved[name]
	return moved
}

// Successor is the one place where a path that is gone can be meant to be now:
// where it was moved to, or else the only file of the same name.
func (t *Tree) Successor(name string) (string, bool) {
	name = clean(name)
	seen := map[string]bool{}
	for at := name; !seen[at]; {
		seen[at] = true
		next, ok := t.Moved[at]
		if !ok {
			break
		}
		if at = clean(next); t.Has(at) {
			return at, true
		}
	}
	if same := t.bases[path.Base(name)]; len(same) == 1 && !common[path.Base(name)] && path.Ext(name) != "" {
		return same[0], true
	}
	return "", false
}

// common are names that many unrelated files have.
var common = map[string]bool{"README.md": true, "index.md": true, "main.go": true, "doc.go": true, "index.js": true, "index.ts": true, "__init__.py": true, "package.json": true, "Makefile": true, "Dockerfile": true, "SKILL.md": true, "CHANGELOG.md": true, "CONTRIBUTING.md": true, "LICENSE.md": true, "config.json": true, "config.yaml": true, "config.yml": true, "go.mod": true}

func clean(name string) string {
	if name = path.Clean(name); name == "." || name == "/" {
		return ""
	}
	return strings.TrimPrefix(name, "/")
}
