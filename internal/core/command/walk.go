package command

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

func (r *reader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

func (r *reader) stmt(s *syntax.Stmt) {
	r.enter()
	defer r.leave()
	switch {
	case len(s.Redirs) > 0:
		stdin, words := r.stdin, r.words
		r.redirected(s)
		r.stdin, r.words = stdin, words
	case s.Cmd != nil:
		r.command(s.Cmd)
	}
}

// source is a node as it is written.
func (r *reader) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if r.pinned > 0 || from < 0 || to > len(r.src) || from >= to {
		return r.words
	}
	return shorten(r.src[from:to])
}

func (r *reader) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.Block:
		r.stmts(c.Stmts)
	case *syntax.Subshell:
		r.apart(func() { r.stmts(c.Stmts) })
	case *syntax.FuncDecl:
		if c.Name != nil && c.Body != nil {
			r.define(c.Name.Value, body{stmts: []*syntax.Stmt{c.Body}, src: r.src})
		}
	case *syntax.DeclClause:
		r.declare(c)
	case *syntax.BinaryCmd:
		if isPipe(c) {
			r.pipeline(c)
			return
		}
		r.hideOutput(func() { r.andOr(c) })
	default:
		r.hideOutput(func() { r.control(c) })
	}
}

func (r *reader) control(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.IfClause:
		r.ifClause(c)
	case *syntax.WhileClause:
		r.loop(func() { r.stmts(c.Cond); r.stmts(c.Do) })
	case *syntax.ForClause:
		r.forClause(c)
	case *syntax.CaseClause:
		r.caseClause(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		r.apart(func() { r.stmt(c.Stmt) })
	default:
		r.inside(c)
	}
}

// inside walks the substitutions in tests and arithmetic, which run no other
// commands.
func (r *reader) inside(n syntax.Node) {
	depth := 0
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return true
		}
		if depth++; depth > maxDepth {
			panic(errBound)
		}
		if w, ok := n.(*syntax.Word); ok {
			r.expand(w)
			depth-- // no call with nil follows for a node that is not entered
			return false
		}
		return true
	})
}

// apart runs f in a subshell: what it sets is lost.
func (r *reader) apart(f func()) {
	saved := r.state.clone()
	f()
	r.state = saved
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

// flatten lists the parts of a list or a pipeline: its left sides nest as deep as
// it is long.
func flatten(c *syntax.BinaryCmd) (list []*syntax.Stmt, ops []syntax.BinCmdOperator) {
	pipe := isPipe(c)
	for {
		list, ops = append(list, c.Y), append(ops, c.Op)
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(c.X.Redirs) > 0 || isPipe(left) != pipe {
			list = append(list, c.X)
			break
		}
		c = left
	}
	slices.Reverse(list)
	slices.Reverse(ops)
	return list, ops
}

// pipeline runs each part in a subshell, with the output of the one before.
func (r *reader) pipeline(c *syntax.BinaryCmd) {
	parts, _ := flatten(c)
	saved := r.state.clone()
	for i, part := range parts {
		if i == len(parts)-1 {
			r.stmt(part)
			break
		}
		out := r.capture(func() { r.stmt(part) })
		r.state = saved.clone()
		r.stdin = &out
	}
	r.state = saved
}

// andOr runs a && b || c. What comes after || runs when something before failed,
// so that nothing before it can be relied on; what comes after the whole list may
// have run or not.
func (r *reader) andOr(c *syntax.BinaryCmd) {
	list, ops := flatten(c)
	failed := r.state.clone()
	r.stmt(list[0])
	ended := r.state.clone()
	for i, s := range list[1:] {
		if ops[i] == syntax.OrStmt {
			before := r.state.clone()
			r.merge(failed)
			r.stmt(s)
			if leaves(s) {
				r.state = before
				continue
			}
		} else {
			r.stmt(s)
		}
		failed.merge(ended)
		ended.merge(r.state.clone())
	}
	r.merge(ended)
}

// leaves tells a statement after which the script does not go on.
func leaves(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return len(c.Args) > 0 && slices.Contains([]string{"exit", "return", "break", "continue"}, c.Args[0].Lit())
	case *syntax.Block:
		return leaveAll(c.Stmts)
	}
	return false
}

func leaveAll(list []*syntax.Stmt) bool { return len(list) > 0 && leaves(list[len(list)-1]) }

// branches runs each of several ways from the same state, and leaves what holds
// after any of them. A way returns whether the script ends there.
func (r *reader) branches(ways ...func() bool) {
	start := r.state.clone()
	var after *state
	for _, way := range ways {
		r.state = start.clone()
		switch ends := way(); {
		case ends:
		case after == nil:
			s := r.state.clone()
			after = &s
		default:
			after.merge(r.state)
		}
	}
	if r.state = start; after != nil {
		r.state = *after
	}
}

func (r *reader) ifClause(c *syntax.IfClause) {
	r.enter()
	defer r.leave()
	r.stmts(c.Cond)
	r.branches(
		func() bool { r.stmts(c.Then); return leaveAll(c.Then) },
		func() bool {
			if c.Else == nil {
				return false
			}
			r.ifClause(c.Else)
			return len(c.Else.Cond) == 0 && leaveAll(c.Else.Then)
		},
	)
}

func (r *reader) caseClause(c *syntax.CaseClause) {
	r.expand(c.Word)
	ways := []func() bool{func() bool { return false }}
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			r.expand(p)
		}
		ways = append(ways, func() bool { r.stmts(item.Stmts); return leaveAll(item.Stmts) })
	}
	r.branches(ways...)
}

// loop walks a body twice, since a round may find what the one before has set: the
// first time only to see what that is.
func (r *reader) loop(body func()) {
	start := r.state.clone()
	r.tryOut(body)
	r.merge(start)
	between := r.state.clone()
	body()
	r.merge(between)
}

const maxUnroll = 64

// forClause walks the body once for each word that is known, else as a loop.
func (r *reader) forClause(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.inside(c.Loop)
		r.loop(func() { r.stmts(c.Do) })
		return
	}
	items := r.fields(words.Items)
	if !words.InPos.IsValid() {
		items = r.params
	}
	all := joinWords(items)
	rounds := max(r.unroll, 1) * max(len(items), 1)
	if len(items) == 0 || rounds > maxUnroll || hasMark(all) {
		r.loop(func() {
			r.put(words.Name.Value, markOf(all))
			r.stmts(c.Do)
		})
		return
	}
	before := r.unroll
	r.unroll = rounds
	for _, it := range items {
		start := r.state.clone()
		r.put(words.Name.Value, it.s)
		r.stmts(c.Do)
		r.merge(start)
	}
	r.unroll = before
}
