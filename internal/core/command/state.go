package command

import (
	"path"
	"slices"
)

// state is what a subshell copies and a branch may or may not change.
type state struct {
	dir    string
	params []string // positional parameters; nil when they are not known
	stdin  string   // "": what the tool gives, of which nothing is known
}

// merge makes s what holds whether it or o came to be.
func (s *state) merge(o state) {
	if s.dir != o.dir {
		s.dir = ""
	}
	if !slices.Equal(s.params, o.params) {
		s.params = nil
	}
}

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

// chdir follows a cd; a word that is not known leaves no folder.
func (s *state) chdir(to string) {
	if s.dir = s.abs(to); hasPattern(to) {
		s.dir = ""
	}
}
