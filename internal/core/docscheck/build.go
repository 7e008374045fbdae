package docscheck

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/project"
)

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
