package command

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// variable is a text: of an array, the mark for its elements.
type variable struct {
	text     string
	exported bool // the command changes it in the environment of what runs
}

// setVariable sets a variable: where that may happen or not, and it has another text, it
// is unknown. It reads a script that the shell begins with.
func (r *reader) setVariable(name, text string) {
	v, ok := r.vars[name]
	if ok && r.branches > 0 && v.text != text {
		text = markOf(v.text, text)
	}
	r.vars[name] = variable{text, v.exported || steersGit(name) || isInherited(name)}
	if name == "BASH_ENV" || name == "ENV" {
		r.runScript(text, nil, true)
	}
}

func (r *reader) export(name string) { r.vars[name] = variable{r.vars[name].text, true} }

// simpleCommand walks assignments and a command. Assignments before it hold for it
// alone.
func (r *reader) simpleCommand(c *syntax.CallExpr) {
	args := r.fields(c.Args)
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a)
		}
		return
	}
	for _, a := range c.Assigns {
		if a.Name == nil {
			continue
		}
		name := a.Name.Value
		if was, ok := r.vars[name]; ok {
			defer func() { r.vars[name] = was }()
		} else {
			defer delete(r.vars, name)
		}
		delete(r.vars, name)
		r.assign(a)
		r.export(name)
	}
	r.runCommand(args)
}

func (r *reader) declare(c *syntax.DeclClause) {
	for _, a := range c.Args {
		r.assign(a)
		if a.Name != nil && c.Variant.Value != "local" {
			r.export(a.Name.Value)
		}
	}
}

func (r *reader) assign(a *syntax.Assign) {
	if a.Index != nil {
		r.inside(a.Index)
	}
	if a.Name == nil {
		r.assignText(r.one(a.Value))
		return
	}
	if a.Naked {
		return
	}
	text := r.one(a.Value)
	if a.Array != nil || a.Index != nil {
		text = r.elements(a.Array) + markOf(text)
	}
	if a.Append {
		text = r.vars[a.Name.Value].text + text
		checkSize(len(text))
		delete(r.vars, a.Name.Value)
	}
	r.setVariable(a.Name.Value, text)
}

// elements is the mark for the elements of an array.
func (r *reader) elements(a *syntax.ArrayExpr) string {
	all := ""
	if a != nil {
		for _, e := range a.Elems {
			all += " " + r.one(e.Value)
		}
	}
	return markOf(all)
}

// assignText follows NAME=value that a program is given, or that is quoted or made of
// variables, so that the parser could not tell.
func (r *reader) assignText(text string) {
	if name, val, ok := strings.Cut(text, "="); ok {
		r.setVariable(name, val)
		r.export(name)
	}
}

// idle are variables that change nothing but how a program looks.
var idle = text.WordSet{List: "NO_COLOR FORCE_COLOR CLICOLOR TERM COLUMNS LINES LANG LANGUAGE TZ"}

// isInherited tells a variable that is in the environment already: setting it is
// enough, and taking it away matters.
func isInherited(name string) bool {
	return name == "PATH" || name == "XDG_STATE_HOME" || strings.HasPrefix(name, "WARP_") || strings.HasPrefix(name, "CLAUDE")
}

// changedVariable names a variable that the text has put into the environment of
// warp, or taken out of it: tests and agents run with it. "": there is none.
func (r *reader) changedVariable() string {
	for _, name := range slices.Sorted(maps.Keys(r.vars)) {
		if r.vars[name].exported && !idle.Has(name) && !strings.HasPrefix(name, "LC_") {
			return name
		}
	}
	return ""
}
