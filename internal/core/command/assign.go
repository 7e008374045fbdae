package command

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// simpleCommand walks assignments and a command. Assignments before it hold for it
// alone.
func (w walker) simpleCommand(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assign(a)
		}
		return
	}
	args := w.fields(c.Args)
	for _, a := range c.Assigns {
		if a.Name == nil {
			continue
		}
		name := a.Name.Value
		was, had := w.vars[name]
		defer func() {
			if w.set(name, was); !had {
				delete(w.vars, name)
			}
		}()
		w.assign(a)
		w.export(name)
	}
	w.runCommand(args)
}

func (w walker) declare(c *syntax.DeclClause) {
	for _, a := range c.Args {
		w.assign(a)
		if a.Name != nil && c.Variant.Value != "local" {
			w.export(a.Name.Value)
		}
	}
}

func (w walker) assign(a *syntax.Assign) {
	if a.Index != nil {
		w.inside(a.Index)
	}
	if a.Name == nil {
		w.assignText(w.one(a.Value))
		return
	}
	if a.Naked {
		return
	}
	list := []string{}
	if a.Array == nil {
		list = append(list, w.one(a.Value))
	} else {
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				w.inside(e.Index)
			}
			if e.Value != nil {
				list = append(list, w.fields([]*syntax.Word{e.Value})...)
			}
		}
	}
	old := w.vars[a.Name.Value].list
	switch {
	case a.Append && a.Array != nil:
		list = slices.Concat(old, list)
	case a.Append && len(old) > 0:
		list = []string{old[0] + list[0]}
	case a.Index != nil || a.Append:
		list = []string{markOf(slices.Concat(old, list)...)}
	}
	w.setVariable(a.Name.Value, list...)
}

// assignText follows NAME=value that a program is given, or that is quoted or made of
// variables, so that the parser could not tell.
func (r *reader) assignText(text string) {
	if name, val, ok := strings.Cut(text, "="); ok {
		r.setVariable(name, val)
		r.export(name)
	}
}

// setVariable sets a variable, and looks at what its value means to git or the shell.
func (r *reader) setVariable(name string, list ...string) {
	r.set(name, variable{list: list, exported: r.vars[name].exported || steersGit(name) || isInherited(name)})
	switch {
	case len(list) == 0:
	case runsValue.Has(name) && mentionsGit(list[0]):
		r.runApart(list[0], nil)
	case name == "BASH_ENV" || name == "ENV":
		r.runScript(list[0], nil, true)
	}
}

var (
	// idle are variables that change nothing but how a program looks.
	idle = text.WordSet{List: "NO_COLOR FORCE_COLOR CLICOLOR TERM COLUMNS LINES LANG LANGUAGE TZ"}
	// runsValue are variables whose value is run by git or by the shell.
	runsValue = text.WordSet{List: `GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_ASKPASS
 GIT_PROXY_COMMAND EDITOR VISUAL PAGER PROMPT_COMMAND SSH_ASKPASS`}
)

// isInherited tells a variable that is in the environment already: setting it is
// enough, and taking it away matters.
func isInherited(name string) bool {
	return name == "PATH" || name == "XDG_STATE_HOME" || strings.HasPrefix(name, "WARP_") || strings.HasPrefix(name, "CLAUDE")
}

// changedVariable names a variable that the text has put into the environment of
// warp, or taken out of it: tests and agents run with it. "": there is none.
func (s *state) changedVariable() string {
	for _, name := range slices.Sorted(maps.Keys(s.vars)) {
		if s.vars[name].exported && !idle.Has(name) && !strings.HasPrefix(name, "LC_") {
			return name
		}
	}
	return ""
}
