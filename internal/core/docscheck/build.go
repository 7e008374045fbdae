package docscheck

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/project"
)

// makefile is what the Makefile of a folder offers.
type makefile struct {
	targets []string
	isOpen  bool // it may have more targets, by patterns, variables or missing includes
}

// readMakefile returns the Makefile of a folder, nil if it has none.
func (r *repository) readMakefile(dir string) *makefile {
	m, done := r.makefiles[dir]
	if done {
		return m
	}
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if r.tree.isFile(path.Join(dir, name)) {
			m = r.parseMakefile(dir, name)
			break
		}
	}
	r.makefiles[dir] = m
	return m
}

var (
	includePattern = lazy.Pattern{Text: `(?m)^ *[-s]?include +(.*)$`}
	// openPattern matches a rule whose names are not written out, and what generates
	// rules.
	openPattern = lazy.Pattern{Text: `(?m)^(\s*\$\((eval|foreach|call)\b|[^\t\n#=:]*[%$][^\n#=:]*:([^=]|$))`}
)

// parseMakefile reads a Makefile and those that it includes.
func (r *repository) parseMakefile(dir, name string) *makefile {
	m := &makefile{}
	files := []string{name}
	for i := 0; i < len(files); i++ {
		text, ok := r.tree.readFile(path.Join(dir, files[i]))
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
	return m
}

// readScripts returns the scripts of a folder's package.json; false if it has none.
func (r *repository) readScripts(dir string) (scripts map[string]string, ok bool) {
	var manifest struct{ Scripts map[string]string }
	text, ok := r.tree.readFile(path.Join(dir, "package.json"))
	ok = ok && json.Unmarshal([]byte(text), &manifest) == nil
	return manifest.Scripts, ok
}
