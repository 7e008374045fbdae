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
	vars   map[string]value
	tamper map[string]bool // variables in the environment that the text sets: they may steer git, or warp
	params []arg
	told   bool // params are known
	stdin  input
	shared bool // the maps belong to another state too
}

// value is a variable's: one text, or those of an array.
type value struct {
	list  []string
	array bool
}

func (v value) equal(w value) bool { return v.array == w.array && slices.Equal(v.list, w.list) }

// clone shares the maps until one of the two changes.
func (s *state) clone() state {
	s.shared = true
	return *s
}

func (s *state) own() {
	if !s.shared {
		return
	}
	s.vars, s.tamper, s.shared = maps.Clone(s.vars), maps.Clone(s.tamper), false
}

func (s *state) set(name string, v value) {
	s.own()
	if s.vars == nil {
		s.vars = map[string]value{}
	}
	s.vars[name] = v
}

func (s *state) steer(name string) {
	s.own()
	if s.tamper == nil {
		s.tamper = map[string]bool{}
	}
	s.tamper[name] = true
}

func (s *state) unset(name string) {
	s.own()
	s.set(name, value{list: []string{""}})
	delete(s.tamper, name)
}

// revert gives one variable the value that it had before.
func (s *state) revert(name string, before state) {
	s.own()
	if v, ok := before.vars[name]; ok {
		s.set(name, v)
	} else {
		delete(s.vars, name)
	}
	if !before.tamper[name] {
		delete(s.tamper, name)
	}
}

// merge makes s what holds whether it or o came to be.
func (s *state) merge(o state) {
	if s.dir != o.dir {
		s.dir = ""
	}
	for name := range o.tamper {
		if !s.tamper[name] {
			s.steer(name)
		}
	}
	for name, v := range o.vars {
		if w, ok := s.vars[name]; !ok || !v.equal(w) {
			s.set(name, either(v, w))
		}
	}
	for name, v := range s.vars {
		if _, ok := o.vars[name]; !ok {
			s.set(name, either(v, value{}))
		}
	}
	if s.told != o.told || !slices.Equal(s.params, o.params) {
		s.told = false
	}
}

// either is a value that cannot be told, but is remembered to be near git.
func either(v, w value) value {
	if v.near() || w.near() {
		return value{list: []string{dynGit}}
	}
	return value{list: []string{dyn}}
}

func (v value) near() bool {
	return slices.ContainsFunc(v.list, func(s string) bool { return mentionsGit(s) || strings.Contains(s, dynGit) })
}

// abs is the absolute path of a word, "" when it cannot be told.
func (s *state) abs(p string) string {
	switch {
	case p == "" || untold(p):
		return ""
	case path.IsAbs(p):
		return path.Clean(p)
	case s.dir == "":
		return ""
	}
	return path.Join(s.dir, p)
}

// chdir follows a cd; a word that cannot be told leaves no folder.
func (s *state) chdir(to string) {
	if s.dir = s.abs(to); strings.ContainsAny(to, "*?[") {
		s.dir = ""
	}
}

// input is where a command's standard input comes from.
type input struct {
	open bool // a pipe, file or here-document, rather than what the tool gives
	text func() (string, telling)
}

// telling is how much is known of a text.
type telling uint8

const (
	absent telling = iota // there is none that could be read
	untell                // it is made at run time
	tell                  // known
)

func (in input) get() (string, telling) {
	switch {
	case !in.open:
		return "", absent
	case in.text == nil:
		return "", untell
	}
	return in.text()
}

func given(s string) input {
	return input{open: true, text: func() (string, telling) {
		if untold(s) {
			return s, untell
		}
		return s, tell
	}}
}
