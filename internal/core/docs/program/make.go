package program

import (
	"path"
	"strings"

	"warp/internal/core/docs/tree"
)

// Makefile is what a Makefile offers.
type Makefile struct {
	Targets map[string]bool
	// Told are the targets that have a ## comment.
	Told map[string]string
	// Open: it may have more, by patterns, variables or files that are not
	// there.
	Open bool
}

// readMakefile reads the Makefile of a folder.
func readMakefile(t *tree.Tree, dir string) (*Makefile, bool) {
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} {
		if text, ok := t.Read(path.Join(dir, name)); ok && t.IsFile(path.Join(dir, name)) {
			m := &Makefile{Targets: map[string]bool{}, Told: map[string]string{}}
			m.read(t, dir, text, 0)
			return m, true
		}
	}
	return nil, false
}

func (m *Makefile) read(t *tree.Tree, dir, text string, depth int) {
	vars := map[string]string{}
	defining := false
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimRight(line, "\r\n")
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "define":
			defining = true
		case word == "endef":
			defining = false
		case defining || strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "#"):
		case word == "include" || word == "-include" || word == "sinclude":
			m.include(t, dir, rest, depth)
		case strings.HasPrefix(word, "$(eval"), strings.HasPrefix(word, "$(foreach"), strings.HasPrefix(word, "$(call"):
			m.Open = true
		default:
			m.rule(line, vars)
		}
	}
}

func (m *Makefile) include(t *tree.Tree, dir, files string, depth int) {
	for f := range strings.FieldsSeq(files) {
		text, ok := t.Read(path.Join(dir, f))
		if !ok || depth > 8 {
			m.Open = true
			continue
		}
		m.read(t, dir, text, depth+1)
	}
}

// rule takes the names before the colon of a rule in, or a variable.
func (m *Makefile) rule(line string, vars map[string]string) {
	line, told, hasTold := strings.Cut(line, "##")
	line, _, _ = strings.Cut(line, "#")
	if name, value, ok := strings.Cut(line, "="); ok && !strings.Contains(strings.TrimRight(name, ":?+! "), ":") {
		vars[strings.TrimRight(name, ":?+! ")] = strings.TrimSpace(value)
		return
	}
	names, rest, ok := strings.Cut(line, ":")
	if !ok || strings.HasPrefix(strings.TrimLeft(rest, ":"), "=") {
		return
	}
	for name, value := range vars {
		names = strings.ReplaceAll(strings.ReplaceAll(names, "$("+name+")", value), "${"+name+"}", value)
	}
	if before, _, ok := strings.Cut(strings.TrimSpace(names), " "); ok && before == ".PHONY" {
		return
	}
	for name := range strings.FieldsSeq(names) {
		switch {
		case strings.ContainsAny(name, "%$"):
			m.Open = true
		case name[0] == '.':
		default:
			m.Targets[name] = true
			if hasTold {
				m.Told[name] = strings.TrimSpace(told)
			}
		}
	}
}
