package command

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// pipeline runs each part in a subshell, with the output of the one before.
func (r *reader) pipeline(c *syntax.BinaryCmd) {
	parts := []*syntax.Stmt{c.Y}
	for {
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(c.X.Redirs) > 0 || left.Op != syntax.Pipe && left.Op != syntax.PipeAll {
			parts = append(parts, c.X)
			break
		}
		c = left
		parts = append(parts, c.Y)
	}
	slices.Reverse(parts)
	saved := r.state.clone()
	in := r.stdin
	for _, part := range parts {
		r.stdin = in
		r.stmt(part)
		r.state = saved.clone()
		in = r.piped(part, in)
	}
	r.state = saved
}

// piped is a statement's output as the input of the next, made when asked for.
func (r *reader) piped(s *syntax.Stmt, in input) input {
	at := r.state.clone()
	at.stdin = in
	return input{open: true, text: func() (string, telling) {
		r.spend()
		r.enter() // the input may itself come through a pipe
		defer func() { r.depth-- }()
		saved, disk := r.state, r.disk
		r.state, r.disk = at.clone(), true
		text, ok := r.outputs([]*syntax.Stmt{s})
		r.state, r.disk = saved, disk
		if !ok {
			return "", untell
		}
		return text, tell
	}}
}
