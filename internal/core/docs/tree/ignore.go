package tree

import (
	"path"
	"slices"
	"strings"
)

// patterns are the lines of a .gitignore that take something out.
func patterns(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && line[0] != '#' && line[0] != '!' {
			all = append(all, line)
		}
	}
	return all
}

// built are folders that builds make, whatever git is told to ignore.
var built = []string{"dist", "build", "target", "out", "node_modules", "vendor", "coverage", ".venv", "venv", "__pycache__", "tmp", ".git"}

// Made tells whether a path is one that git ignores or a build makes: it may be
// there on a reader's machine though the repository does not have it.
func (t *Tree) Made(name string) bool {
	name = clean(name)
	if first, _, _ := strings.Cut(name, "/"); slices.Contains(built, first) && !t.IsDir(first) {
		return true
	}
	if slices.ContainsFunc(t.Foreign, func(dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }) {
		return true
	}
	for at := name; at != "" && at != "."; at = path.Dir(at) {
		if slices.ContainsFunc(t.ignored, func(p string) bool { return matches(p, at) }) {
			return true
		}
	}
	return false
}

func matches(pattern, name string) bool {
	pattern = strings.TrimSuffix(pattern, "/")
	rooted := strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(strings.TrimPrefix(pattern, "/"), "**/")
	pattern = strings.TrimSuffix(strings.TrimSuffix(pattern, "/**"), "/*")
	if ok, err := path.Match(pattern, name); ok || err != nil {
		return ok
	}
	ok, _ := path.Match(pattern, path.Base(name))
	return ok && !rooted
}
