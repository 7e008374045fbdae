package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call walks a simple command.
func (r *reader) call(c *syntax.CallExpr) {
	words := r.words
	if r.pinned == 0 {
		r.words = r.text(c)
	}
	defer func() { r.words = words }()
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a)
		}
		return
	}
	args := r.fields(c.Args)
	if len(c.Assigns) == 0 {
		r.run(args)
		return
	}
	before := r.state.clone()
	for _, a := range c.Assigns {
		r.assign(a)
		r.pass(a)
	}
	r.run(args)
	for _, a := range c.Assigns {
		if a.Name != nil {
			r.revert(a.Name.Value, before)
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
			r.setVar(name, value{list: []string{val}})
		}
		return
	}
	if a.Naked {
		return
	}
	v := r.assigns(a)
	old := r.vars[a.Name.Value]
	switch {
	case a.Index != nil:
		v = either(old, v)
	case a.Append && v.array:
		v.list = slices.Concat(old.list, v.list)
	case a.Append && len(old.list) > 0:
		v.list = []string{old.list[0] + v.list[0]}
	case a.Append:
		v = either(old, v)
	}
	r.setVar(a.Name.Value, v)
}

// assigns is the value on the right side.
func (r *reader) assigns(a *syntax.Assign) value {
	if a.Array == nil {
		return value{list: []string{r.one(a.Value).s}}
	}
	v := value{array: true}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			r.inside(e.Index)
		}
		if e.Value == nil {
			continue
		}
		for _, f := range r.fields([]*syntax.Word{e.Value}) {
			v.list = append(v.list, f.s)
		}
	}
	return v
}

// setVar sets a variable, and looks at what its value means to git or the shell.
func (r *reader) setVar(name string, v value) {
	r.set(name, v)
	if steersGit(name) || isInherited(name) {
		r.steer(name)
	}
	if len(v.list) == 0 {
		return
	}
	if runsValue.Has(name) && mentionsGit(v.list[0]) {
		r.code(v.list[0], nil)
	}
	if name == "BASH_ENV" || name == "ENV" {
		r.script(arg{s: v.list[0]}, nil, true)
	}
}

func (r *reader) declare(c *syntax.DeclClause) {
	words := r.words
	r.words = r.text(c)
	for _, a := range c.Args {
		r.assign(a)
		if c.Variant.Value != "local" {
			r.pass(a)
		}
	}
	r.words = words
}

// pass notes that a variable is in the environment of what is run.
func (r *reader) pass(a *syntax.Assign) {
	if a.Name != nil {
		r.steer(a.Name.Value)
	}
}

// code is a text of shell that is run: what is told of it is read.
func (r *reader) code(text string, params []arg) {
	r.apart(func() {
		r.params, r.told = params, true
		r.here(text)
	})
}

// here runs a text in this shell, so that what it sets stays set.
func (r *reader) here(text string) {
	if strings.Trim(text, dynAny+" \t\n;\"'") != "" {
		r.nested(spell(text), nearGit)
		return
	}
	if strings.ContainsAny(text, dyn+dynGit) {
		r.unknown("the shell's text is made at run time")
	}
}

// spell puts variables for the marks in a text, so that they stay what they are
// when it is parsed.
func spell(text string) string {
	if !untold(text) {
		return text
	}
	return strings.NewReplacer(dyn, "${_untold}", dynGit, "${_untoldgit}", dynSafe, "").Replace(text)
}
