package docscheck

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/lazy"
	"warp/internal/core/project"
)

// Tree is a repository as its documents see it: its files, and what happened to files that are
// gone. It does no I/O: the caller lists the files and provides a function that reads them.
type Tree struct {
	// Gone maps the path of a former file to the path that it moved to, "" if it was deleted.
	Gone map[string]string

	readFile func(path string) (text string, ok bool)
	files    []string
	children map[string][]string // names by folder, folders with a trailing slash; "" is the root
	named    map[string][]string // paths by base name
	ignored  []string            // patterns of paths that may exist without being listed
	pages    map[string]*page    // parsed so far
	labels   []string            // issue labels
	declared string              // the file that declares them
}

// NewTree builds a tree from slash-separated paths relative to the root. A path with a trailing
// slash is a folder with unknown content, such as a submodule.
func NewTree(files []string, read func(path string) (text string, ok bool)) *Tree {
	t := &Tree{readFile: read, children: map[string][]string{"": nil}, named: map[string][]string{}, pages: map[string]*page{}}
	for _, file := range slices.Compact(slices.Sorted(slices.Values(files))) {
		if dir, isDir := strings.CutSuffix(file, "/"); isDir {
			t.ignored = append(t.ignored, file)
			file = dir
		}
		t.files = append(t.files, file)
		for child, slash := file, ""; child != ""; slash = "/" {
			dir, name := cleanPath(path.Dir(child)), path.Base(child)
			if slices.Contains(t.children[dir], name+slash) {
				break
			}
			t.children[dir] = append(t.children[dir], name+slash)
			t.named[name] = append(t.named[name], child)
			child = dir
		}
	}
	t.addIgnored()
	t.addLabels()
	return t
}

// readPage returns a parsed document, nil if it cannot be read.
func (t *Tree) readPage(file string) *page {
	if text, ok := t.readFile(file); ok && t.pages[file] == nil {
		t.pages[file] = parsePage(file, text)
	}
	return t.pages[file]
}

var (
	// templatePattern matches pages that are used in other projects, and name files there.
	templatePattern = lazy.Pattern{Text: `(^|/)(templates?|examples?|prompts)/`}
	pluginPattern   = lazy.Pattern{Text: `^(commands|skills|agents)/`}
)

// isTemplate reports whether a page is meant for other projects: a template, an example, or a part
// of a Claude Code plugin.
func (t *Tree) isTemplate(p *page) bool {
	isPlugin := func(dir string) bool {
		return t.isDir(path.Join(dir, ".claude-plugin")) && (dir != "" || pluginPattern.Get().MatchString(p.path))
	}
	return templatePattern.Get().MatchString(p.path) || slices.ContainsFunc(p.folders(), isPlugin)
}

// Has reports whether a file or folder exists.
func (t *Tree) Has(name string) bool { return t.isDir(name) || t.isFile(name) }

func (t *Tree) isFile(name string) bool {
	_, found := slices.BinarySearch(t.files, cleanPath(name))
	return found
}

func (t *Tree) isDir(name string) bool {
	_, found := t.children[cleanPath(name)]
	return found
}

// existed reports whether git remembers a file or folder that is gone.
func (t *Tree) existed(name string) bool {
	name = cleanPath(name)
	for gone := range t.Gone {
		if gone == name || strings.HasPrefix(gone, name+"/") {
			return true
		}
	}
	return false
}

// commonNames are base names that unrelated files share.
var commonNames = []string{"README.md", "index.md", "main.go", "doc.go", "index.js", "index.ts", "__init__.py", "package.json", "Makefile", "Dockerfile", "SKILL.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE.md", "config.json", "config.yaml", "config.yml", "go.mod"}

// successor returns the only path that a missing path can mean now: where git says it moved, with
// all files if it was a folder, or else the only file with the same name.
func (t *Tree) successor(name string) (string, bool) {
	name = cleanPath(name)
	moved := map[string]bool{t.followMoves(name): true}
	for gone := range t.Gone {
		if inside, ok := strings.CutPrefix(gone, name+"/"); ok {
			if dir, sameName := strings.CutSuffix(t.followMoves(gone), "/"+inside); sameName {
				moved[dir] = true
			}
		}
	}
	delete(moved, "")
	for to := range moved {
		if len(moved) == 1 {
			return to, true
		}
	}
	base := path.Base(name)
	if same := t.named[base]; len(same) == 1 && path.Ext(base) != "" && !slices.Contains(commonNames, base) {
		return same[0], true
	}
	return "", false
}

// followMoves returns where git says a path is now, "" if nowhere.
func (t *Tree) followMoves(name string) string {
	for range t.Gone { // moves can form a cycle
		if name = t.Gone[name]; name == "" || t.Has(name) {
			return cleanPath(name)
		}
	}
	return ""
}

// buildDirs are folders that builds create, whether git ignores them or not.
var buildDirs = []string{"dist", "build", "target", "out", "node_modules", "vendor", "coverage", ".venv", "venv", "__pycache__", "tmp", ".git"}

// addIgnored reads which paths git ignores or a build creates.
func (t *Tree) addIgnored() {
	text, _ := t.readFile(".gitignore")
	for _, dir := range buildDirs {
		if !t.isDir(dir) {
			text += "\n/" + dir
		}
	}
	for line := range strings.Lines(text) {
		pattern := strings.TrimSuffix(strings.TrimSpace(line), "/")
		if pattern == "" || pattern[0] == '#' || pattern[0] == '!' {
			continue
		}
		if !strings.Contains(pattern, "/") {
			pattern = "**/" + pattern
		}
		pattern = strings.TrimPrefix(pattern, "/")
		t.ignored = append(t.ignored, pattern, pattern+"/")
	}
}

// mayBeBuilt reports whether a path may exist on a reader's machine although the repository lacks
// it.
func (t *Tree) mayBeBuilt(name string) bool {
	return criteria.MatchesAny(t.ignored, cleanPath(name))
}

// cleanPath normalises a path of the repository; the root is "".
func cleanPath(name string) string {
	if name = path.Clean(name); name == "." || name == "/" {
		return ""
	}
	return strings.TrimPrefix(name, "/")
}

// makefile holds the targets of a folder's Makefile.
type makefile struct {
	targets []string
	isOpen  bool // it may have more targets, from patterns, variables or missing includes
}

var (
	includePattern = lazy.Pattern{Text: `(?m)^ *[-s]?include +(.*)$`}
	// openPattern matches rules whose names are not written out, and generators of rules.
	openPattern = lazy.Pattern{Text: `(?m)^(\s*\$\((eval|foreach|call)\b|[^\t\n#=:]*[%$][^\n#=:]*:([^=]|$))`}
)

// readMakefile reads a folder's Makefile and its includes. It returns false if there is none.
func (t *Tree) readMakefile(dir string) (m makefile, ok bool) {
	names := []string{"GNUmakefile", "makefile", "Makefile"}
	first := slices.IndexFunc(names, func(name string) bool { return t.isFile(path.Join(dir, name)) })
	if first < 0 {
		return m, false
	}
	files := names[first : first+1 : first+1]
	for i := 0; i < len(files); i++ {
		text, ok := t.readFile(path.Join(dir, files[i]))
		m.isOpen = m.isOpen || !ok || openPattern.Get().MatchString(text)
		for target := range project.MakeTargets(text) {
			if target[0] != '.' { // .PHONY and its like
				m.targets = append(m.targets, target)
			}
		}
		for _, include := range includePattern.Get().FindAllStringSubmatch(text, -1) {
			for file := range strings.FieldsSeq(include[1]) {
				if !slices.Contains(files, file) {
					files = append(files, file)
				}
			}
		}
	}
	m.targets = slices.Compact(slices.Sorted(slices.Values(m.targets)))
	return m, true
}

// readScripts returns the scripts of a folder's package.json. It returns false if there is none.
func (t *Tree) readScripts(dir string) (scripts map[string]string, ok bool) {
	var manifest struct{ Scripts map[string]string }
	text, ok := t.readFile(path.Join(dir, "package.json"))
	ok = ok && json.Unmarshal([]byte(text), &manifest) == nil
	return manifest.Scripts, ok
}
