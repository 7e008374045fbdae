package command

import (
	"maps"
	"path"
	"slices"
	"strings"
)

// state is what a subshell copies and a branch may or may not change.
type state struct {
	dir    string
	vars   map[string]variable // "@" holds the positional parameters
	stdin  string              // "": what the tool gives, of which nothing is known
	shared bool                // vars belongs to another state too
}

// variable is one text, or those of an array; nil when they are not known.
type variable struct {
	list     []string
	exported bool // the text changes it in the environment of what runs
}

// clone shares the variables until one of the two changes.
func (s *state) clone() state {
	s.shared = true
	return *s
}

func (s *state) set(name string, v variable) {
	if s.shared {
		s.vars, s.shared = maps.Clone(s.vars), false
	}
	s.vars[name] = v
}

func (s *state) export(name string) {
	s.set(name, variable{list: s.vars[name].list, exported: true})
}

// merge makes s what holds whether it or o came to be.
func (s *state) merge(o state) {
	if s.dir != o.dir {
		s.dir = ""
	}
	for _, vars := range [...]map[string]variable{s.vars, o.vars} {
		for name := range vars {
			v, w := s.vars[name], o.vars[name]
			if slices.Equal(v.list, w.list) && v.exported == w.exported {
				continue
			}
			both := variable{exported: v.exported || w.exported}
			if name != "@" { // of which not even the number is known
				both.list = []string{markOneOf(slices.Concat(v.list, w.list)...)}
			}
			s.set(name, both)
		}
	}
}

// setParams sets the positional parameters; nil when they are not known.
func (s *state) setParams(list []string) { s.set("@", variable{list: list}) }

// abs is the absolute path of a word, "" when it is not known.
func (s *state) abs(p string) string {
	switch {
	case p == "" || hasMark(p):
		return ""
	case path.IsAbs(p):
		return path.Clean(p)
	case s.dir == "":
		return ""
	}
	return path.Join(s.dir, p)
}

// key names a file: by its path or, where that is not known, as it is written.
func (s *state) key(name string) string {
	if p := s.abs(name); p != "" {
		return p
	}
	return strings.NewReplacer(markSplit, "", markList, "", markLetters, "").Replace(name)
}

// chdir follows a cd; what is not known, or was kept by the shell, leaves no folder.
func (s *state) chdir(to string) {
	if s.dir = s.abs(to); hasPattern(to) || to == "-" || strings.HasPrefix(to, "+") {
		s.dir = ""
	}
}
