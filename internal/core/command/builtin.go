package command

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// call walks a simple command. Assignments before it hold for it alone.
func (r *reader) call(c *syntax.CallExpr) {
	words := r.words
	r.words = r.source(c)
	defer func() { r.words = words }()
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a)
		}
		return
	}
	args := r.fields(c.Args)
	before := map[string]variable{}
	for _, a := range c.Assigns {
		if a.Name == nil {
			continue
		}
		name := a.Name.Value
		if _, saved := before[name]; !saved {
			before[name] = r.vars[name]
		}
		r.assign(a)
		r.export(name)
	}
	r.runCommand(args)
	for name, v := range before {
		if r.set(name, v); v.list == nil && !v.exported {
			delete(r.vars, name)
		}
	}
}

func (r *reader) assign(a *syntax.Assign) {
	if a.Index != nil {
		r.inside(a.Index)
	}
	if a.Name == nil {
		// Quoted, or through a variable, so that the parser could not tell.
		if name, val, ok := strings.Cut(r.one(a.Value).s, "="); ok {
			r.setVariable(name, val)
		}
		return
	}
	if a.Naked {
		return
	}
	var list []string
	if a.Array == nil {
		list = []string{r.one(a.Value).s}
	} else {
		list = r.elements(a.Array)
	}
	old := r.vars[a.Name.Value].list
	switch {
	case a.Append && a.Array != nil:
		list = slices.Concat(old, list)
	case a.Append && len(old) > 0:
		list = []string{old[0] + list[0]}
	case a.Index != nil || a.Append:
		list = []string{markOf(slices.Concat(old, list)...)}
	}
	r.setVariable(a.Name.Value, list...)
}

func (r *reader) elements(a *syntax.ArrayExpr) []string {
	list := []string{}
	for _, e := range a.Elems {
		if e.Index != nil {
			r.inside(e.Index)
		}
		if e.Value != nil {
			for _, f := range r.fields([]*syntax.Word{e.Value}) {
				list = append(list, f.s)
			}
		}
	}
	return list
}

// setVariable sets a variable, and looks at what its value means to git or the shell.
func (r *reader) setVariable(name string, list ...string) {
	r.set(name, variable{list: list, exported: r.vars[name].exported || steersGit(name) || isInherited(name)})
	switch {
	case len(list) == 0:
	case runsValue.Has(name) && mentionsGit(list[0]):
		r.runApart(list[0], nil)
	case name == "BASH_ENV" || name == "ENV":
		r.runScript(arg{s: list[0]}, nil, true)
	}
}

func (r *reader) declare(c *syntax.DeclClause) {
	words := r.words
	r.words = r.source(c)
	for _, a := range c.Args {
		r.assign(a)
		if a.Name != nil && c.Variant.Value != "local" {
			r.export(a.Name.Value)
		}
	}
	r.words = words
}

// builtin looks at what the shell does itself.
func (r *reader) builtin(base string, rest []arg) bool {
	switch base {
	case "true", ":", "false", "test", "[", "[[":
	case "echo":
		r.print(echo(rest))
	case "pwd":
		if r.print(r.dir); r.dir == "" {
			r.print(mark)
		}
	case "printf":
		if len(rest) > 1 && rest[0].s == "-v" {
			r.put(rest[1].s, markOf(joinWords(rest)))
		}
		r.print(markOf(joinWords(rest)))
	case "cd", "pushd", "chdir":
		r.changeDir(rest)
	case "popd":
		r.dir = ""
	case "eval":
		r.runText(joinWords(dropDashes(rest)))
	case "source", ".":
		if rest = dropDashes(rest); len(rest) > 0 {
			r.sourceScript(rest[0], rest[1:])
		}
	case "trap":
		if rest = dropDashes(rest); len(rest) > 0 {
			r.runApart(rest[0].s, nil)
		}
	case "alias":
		for _, a := range rest {
			if name, text, ok := strings.Cut(a.s, "="); ok {
				r.defineAlias(name, text)
			}
		}
	case "set":
		if i := slices.Index(texts(rest), "--"); i >= 0 {
			if r.params = rest[i+1:]; anySplit(r.params) {
				r.params = nil
			}
		}
	case "shift":
		if len(r.params) > 0 && len(rest) == 0 {
			r.params = r.params[1:]
		} else {
			r.params = nil
		}
	case "unset":
		for _, a := range rest {
			r.set(a.s, variable{list: []string{""}, exported: isInherited(a.s)})
		}
	case "export", "declare", "local", "readonly", "typeset":
		// Written so that the parser could not tell: quoted, or through a variable.
		for _, a := range rest {
			if name, val, ok := strings.Cut(a.s, "="); ok {
				r.setVariable(name, val)
				r.export(name)
			}
		}
	case "read", "mapfile", "readarray":
		text, _ := r.input()
		for _, name := range append(texts(rest), "REPLY", "MAPFILE") {
			if !strings.HasPrefix(name, "-") && !hasMark(name) {
				r.set(name, variable{list: []string{markOf(text)}})
			}
		}
	case "hash":
		if markOf(joinWords(rest)) == markGit {
			r.noteUnknown("a program is given another name")
		}
	default:
		return false
	}
	return true
}

func dropDashes(args []arg) []arg {
	if len(args) > 0 && args[0].s == "--" {
		return args[1:]
	}
	return args
}

func (r *reader) changeDir(args []arg) {
	l := parseOptions(args, "+")
	to := l.first()
	if r.chdir(to); to == "-" || strings.HasPrefix(to, "+") || len(l.rest) > 0 && l.rest[0].glob {
		r.dir = ""
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
