package command

import (
	"maps"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

func (r *reader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

func (r *reader) stmt(s *syntax.Stmt) {
	defer r.enter()()
	stdin, words := r.stdin, r.words
	if len(s.Redirs) > 0 {
		r.redirected(s)
	} else if s.Cmd != nil {
		r.command(s.Cmd)
	}
	r.stdin, r.words = stdin, words
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
		r.words = r.source(c)
		r.simpleCommand(c)
	case *syntax.DeclClause:
		r.words = r.source(c)
		r.declare(c)
	case *syntax.Block:
		r.stmts(c.Stmts)
	case *syntax.Subshell:
		r.apart(func() { r.stmts(c.Stmts) })
	case *syntax.FuncDecl:
		if c.Name != nil && c.Body != nil {
			r.funcs[c.Name.Value] = function{c.Body, r.src}
		}
	case *syntax.BinaryCmd:
		if isPipe(c) {
			r.pipeline(c)
		} else {
			r.hideOutput(func() { r.andOr(c) })
		}
	default:
		r.hideOutput(func() { r.control(c) })
	}
}

func (r *reader) control(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.stmts(c.Cond)
			r.maybe(c.Then)
		}
	case *syntax.WhileClause:
		r.stmts(c.Cond)
		r.maybe(c.Do)
	case *syntax.ForClause:
		r.forClause(c)
	case *syntax.CaseClause:
		r.expand(c.Word)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				r.expand(p)
			}
			r.maybe(item.Stmts)
		}
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
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			r.depth--
			return true
		}
		if w, ok := n.(*syntax.Word); ok {
			r.expand(w)
			return false
		}
		r.enter()
		return true
	})
}

// apart runs f in a subshell: what it sets is lost.
func (r *reader) apart(f func()) {
	r.work += len(r.vars) / 8
	state, vars := r.state, r.vars
	r.vars = maps.Clone(vars)
	f()
	r.state, r.vars = state, vars
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

// flatten lists the parts of a list or a pipeline, whose left sides nest as deep as it
// is long, and what stands before each of them.
func flatten(c *syntax.BinaryCmd) (list []*syntax.Stmt, ops []syntax.BinCmdOperator) {
	pipe := isPipe(c)
	for {
		list, ops = append(list, c.Y), append(ops, c.Op)
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(c.X.Redirs) > 0 || isPipe(left) != pipe {
			break
		}
		c = left
	}
	list, ops = append(list, c.X), append(ops, syntax.AndStmt)
	slices.Reverse(list)
	slices.Reverse(ops)
	return list, ops
}

// pipeline runs each part in a subshell, with the output of the one before.
func (r *reader) pipeline(c *syntax.BinaryCmd) {
	parts, _ := flatten(c)
	last := len(parts) - 1
	r.apart(func() {
		start := r.state
		for _, part := range parts[:last] {
			out := r.capture(func() { r.stmt(part) })
			r.state = start
			r.stdin = out
		}
		r.stmt(parts[last])
	})
}

// andOr runs a && b || c. What comes after || runs when something before failed,
// so that nothing before it can be relied on; what comes after the whole list may
// have run or not.
func (r *reader) andOr(c *syntax.BinaryCmd) {
	list, ops := flatten(c)
	start := r.state
	r.stmt(list[0])
	ended := r.state
	r.branches++
	for i, s := range list[1:] {
		before := r.state
		if ops[i+1] == syntax.OrStmt {
			r.merge(start)
			r.merge(ended)
		}
		if r.stmt(s); leaves(s) {
			r.state = before
		}
		ended.merge(r.state)
	}
	r.branches--
	r.merge(ended)
}

// maybe runs what may run or not, and leaves what holds in both cases.
func (r *reader) maybe(list []*syntax.Stmt) {
	before := r.state
	r.branches++
	if r.stmts(list); len(list) > 0 && leaves(list[len(list)-1]) {
		r.state = before
	}
	r.branches--
	r.merge(before)
}

// leaves tells a statement after which the script does not go on.
func leaves(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return len(c.Args) > 0 && slices.Contains([]string{"exit", "return", "break", "continue"}, c.Args[0].Lit())
	case *syntax.Block:
		return len(c.Stmts) > 0 && leaves(c.Stmts[len(c.Stmts)-1])
	}
	return false
}

// forClause walks the body once for each word that is known, else once.
func (r *reader) forClause(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.inside(c.Loop)
		r.maybe(c.Do)
		return
	}
	items := r.fields(words.Items)
	if !words.InPos.IsValid() {
		items = r.params
	}
	if all := joinWords(items); len(items) == 0 || hasMark(all) {
		items = []string{markOf(all)}
	}
	for _, it := range items {
		r.vars[words.Name.Value] = variable{text: it}
		r.maybe(c.Do)
	}
}
