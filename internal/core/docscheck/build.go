package docscheck

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// makefile is what the Makefile of a folder offers.
type makefile struct {
	targets []string
	notes   map[string]string // the ## comments of targets
	isOpen  bool              // it may have more targets, by patterns, variables or missing includes
}

const (
	maxIncludes = 8       // how deep Makefiles include each other
	maxNames    = 1 << 16 // bytes of the names of one rule
)

// readMakefile returns the Makefile of a folder, nil if it has none.
func (a *auditor) readMakefile(dir string) *makefile {
	m, done := a.makefiles[dir]
	if done {
		return m
	}
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if text, ok := a.tree.readFile(path.Join(dir, name)); ok {
			m = &makefile{notes: map[string]string{}}
			m.read(a.tree, dir, text, 0)
			m.targets = slices.Compact(slices.Sorted(slices.Values(m.targets)))
			break
		}
	}
	a.makefiles[dir] = m
	return m
}

var (
	definePattern   = lazily(`(?ms)^define\b.*?^endef\b`)
	includePattern  = lazily(`^\s*[-s]?include\s+(.*)`)
	generatePattern = lazily(`^\s*\$\((eval|foreach|call)\b`)
	variablePattern = lazily(`^\s*([\w.-]+)\s*(?:::?|[?+!])?=\s*(.*)`)
	rulePattern     = lazily(`^ *([^\s:#=][^:#=]*)::?(?:[^=].*|$)`)
)

func (m *makefile) read(t *Tree, dir, text string, depth int) {
	variables := map[string]string{}
	text = definePattern().ReplaceAllString(strings.ReplaceAll(text, "\\\n", " "), "")
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if found := includePattern().FindStringSubmatch(line); found != nil {
			for file := range strings.FieldsSeq(found[1]) {
				if included, ok := t.readFile(path.Join(dir, file)); ok && depth < maxIncludes {
					m.read(t, dir, included, depth+1)
				} else {
					m.isOpen = true
				}
			}
		} else if generatePattern().MatchString(line) {
			m.isOpen = true
		} else if found := variablePattern().FindStringSubmatch(line); found != nil {
			variables[found[1]] = found[2]
		} else if found := rulePattern().FindStringSubmatch(line); found != nil {
			_, note, _ := strings.Cut(line, "##")
			m.addTargets(found[1], strings.TrimSpace(note), variables)
		}
	}
}

// addTargets adds the names before the colon of a rule.
func (m *makefile) addTargets(names, note string, variables map[string]string) {
	for name, value := range variables {
		if len(names)+strings.Count(names, name)*len(value) > maxNames { // such as variables that double each other
			m.isOpen = true
			return
		}
		names = strings.NewReplacer("$("+name+")", value, "${"+name+"}", value).Replace(names)
	}
	for name := range strings.FieldsSeq(names) {
		switch {
		case strings.ContainsAny(name, "%$"):
			m.isOpen = true
		case name[0] != '.': // .PHONY and its like
			m.targets = append(m.targets, name)
			if note != "" {
				m.notes[name] = note
			}
		}
	}
}

// manifest is a package.json, as far as it is needed.
type manifest struct {
	Name    string            `json:"name"`
	Scripts map[string]string `json:"scripts"`
}

// readManifest returns the package.json of a folder, nil if it has none.
func (a *auditor) readManifest(dir string) *manifest {
	var m manifest
	text, ok := a.tree.readFile(path.Join(dir, "package.json"))
	if !ok || json.Unmarshal([]byte(text), &m) != nil {
		return nil
	}
	return &m
}
