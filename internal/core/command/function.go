package command

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// function is a shell function or alias, with every body that it may have.
type function struct {
	bodies []body
	active int
}

type body struct {
	stmts []*syntax.Stmt
	src   string // the text that it stands in
	ran   bool
}

// define adds a body. An alias counts as run: defining one does nothing.
func (r *reader) define(name string, b body) {
	f := r.funcs[name]
	if f == nil {
		f = &function{}
		r.funcs[name] = f
		r.order = append(r.order, name)
	}
	if !slices.ContainsFunc(f.bodies, func(c body) bool { return slices.Equal(c.stmts, b.stmts) }) {
		f.bodies = append(f.bodies, b)
	}
}

// invoke runs a function's bodies with its arguments: which of them holds may
// depend on a condition, and one may define the next.
func (r *reader) invoke(f *function, params []arg) {
	if f.active >= 2 {
		return // what it does was noted where it was called first
	}
	f.active++
	src := r.src
	for i := 0; i < len(f.bodies); i++ {
		r.spend()
		f.bodies[i].ran = true
		r.src = f.bodies[i].src
		r.withParams(params, func() { r.stmts(f.bodies[i].stmts) })
	}
	r.src = src
	f.active--
}

// runUncalled runs the functions that nothing was seen to call: something may.
func (r *reader) runUncalled() {
	for i := 0; i < len(r.order); i++ {
		f := r.funcs[r.order[i]]
		if slices.ContainsFunc(f.bodies, func(b body) bool { return !b.ran }) {
			r.apart(func() { r.invoke(f, nil) })
		}
	}
}

// defineAlias keeps an alias of the shell; scripts rarely expand one, but then they do.
func (r *reader) defineAlias(name, text string) {
	text = spellMarks(text) + ` "$@"`
	if f, err := r.parse(text); err == nil {
		r.define(name, body{stmts: f.Stmts, src: text, ran: true})
	}
}

// withParams runs f with these positional parameters; nil when they are not known.
func (r *reader) withParams(params []arg, f func()) {
	before := r.params
	if r.params = params; anySplit(params) {
		r.params = nil
	}
	f()
	r.params = before
}
