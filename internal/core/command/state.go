package command

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// state is the part that a subshell copies, and that a branch may change.
type state struct {
	dir    string
	vars   map[string]variable // "@" holds the positional parameters
	stdin  string              // "": unknown input
	shared bool                // another state uses the same vars
	left   bool                // the shell has exited, so this state goes no further
}

// variable holds one text, or an array; nil if unknown.
type variable struct {
	list     []string
	exported bool // the text changes it in the environment of programs
}

// clone copies the state; the variables are copied on the next write.
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

func (s *state) export(name string) { s.set(name, variable{list: s.vars[name].list, exported: true}) }

// merge keeps in s only what holds in both s and o.
func (s *state) merge(o state) {
	switch {
	case s.left:
		*s = o
		return
	case o.left:
		return
	case s.dir != o.dir:
		s.dir = ""
	}
	for _, vars := range [...]map[string]variable{s.vars, o.vars} {
		for name := range vars {
			v, w := s.vars[name], o.vars[name]
			if slices.Equal(v.list, w.list) && v.exported == w.exported {
				continue
			}
			both := variable{exported: v.exported || w.exported}
			if all := slices.Concat(v.list, w.list); strings.HasPrefix(name, "command ") {
				slices.Sort(all)
				both.list = slices.Compact(all)
			} else if name != "@" { // even their number is unknown
				both.list = []string{markOf(all...)}
			}
			s.set(name, both)
		}
	}
}

// setParams sets the positional parameters; nil if unknown.
func (s *state) setParams(list []string) { s.set("@", variable{list: list}) }

// abs returns the absolute path of a word, "" if unknown.
func (s *state) abs(p string) string {
	if p == "" || hasMark(p) || !path.IsAbs(p) && s.dir == "" {
		return ""
	}
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join(s.dir, p)
}

// key identifies a file by its path or, if that is unknown, as written.
func (s *state) key(name string) string {
	return cmp.Or(s.abs(name), strings.ReplaceAll(name, markSplit, ""))
}

// chdir follows a cd. An unknown target, or one that only the shell remembers, makes the folder
// unknown.
func (s *state) chdir(to string) {
	if s.dir = s.abs(to); hasPattern(to) || to == "-" || strings.HasPrefix(to, "+") {
		s.dir = ""
	}
}
