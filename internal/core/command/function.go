package command

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// function is a shell function, with every body that it may have.
type function struct {
	bodies []body
	active int
}

type body struct {
	stmt *syntax.Stmt
	src  string // the text that it stands in
	ran  bool
}

func (r *reader) define(d *syntax.FuncDecl) {
	if d.Name == nil || d.Body == nil {
		return
	}
	name := d.Name.Value
	if r.funcs == nil {
		r.funcs = map[string]*function{}
	}
	f := r.funcs[name]
	if f == nil {
		f = &function{}
		r.funcs[name] = f
		r.order = append(r.order, name)
	}
	if !slices.ContainsFunc(f.bodies, func(b body) bool { return b.stmt == d.Body }) {
		f.bodies = append(f.bodies, body{stmt: d.Body, src: r.src})
	}
}

// invoke runs a function's bodies with its arguments: which of them holds may
// depend on a condition, and one may define the next.
func (r *reader) invoke(f *function, params []arg, told bool) {
	if f.active >= 2 {
		return // what it does was noted where it was called first
	}
	f.active++
	src, before, known := r.src, r.params, r.told
	for i := 0; i < len(f.bodies); i++ {
		r.spend()
		f.bodies[i].ran = true
		r.src, r.params, r.told = f.bodies[i].src, params, told
		r.stmt(f.bodies[i].stmt)
	}
	r.src, r.params, r.told = src, before, known
	f.active--
}

// uncalled runs the functions that nothing was seen to call: something may.
func (r *reader) uncalled() {
	for i := 0; i < len(r.order); i++ {
		f := r.funcs[r.order[i]]
		if slices.ContainsFunc(f.bodies, func(b body) bool { return !b.ran }) {
			r.apart(func() { r.invoke(f, nil, false) })
		}
	}
}
