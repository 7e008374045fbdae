package command

import (
	"mvdan.cc/sh/v3/syntax"
)

func (r *reader) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

// stmt walks a statement. The shell opens its files before it runs it, and what
// it wrote is known after.
func (r *reader) stmt(s *syntax.Stmt) {
	r.enter()
	defer func() { r.depth-- }()
	if s.Cmd == nil && len(s.Redirs) == 0 {
		return
	}
	stdin, words := r.stdin, r.words
	if len(s.Redirs) > 0 {
		if r.pinned == 0 {
			r.words = r.text(s)
		}
		r.redirects(s)
	}
	if s.Cmd != nil {
		r.command(s.Cmd)
	}
	r.wrote(s)
	r.stdin, r.words = stdin, words
}

// text is a statement as written.
func (r *reader) text(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(r.src) || from >= to {
		return r.words
	}
	return shorten(r.src[from:to])
}

func (r *reader) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		r.call(c)
	case *syntax.BinaryCmd:
		r.binary(c)
	case *syntax.Block:
		r.stmts(c.Stmts)
	case *syntax.Subshell:
		r.apart(func() { r.stmts(c.Stmts) })
	case *syntax.IfClause:
		r.ifClause(c)
	case *syntax.WhileClause:
		r.loop(c, func() { r.stmts(c.Cond); r.stmts(c.Do) })
	case *syntax.ForClause:
		r.forClause(c)
	case *syntax.CaseClause:
		r.caseClause(c)
	case *syntax.FuncDecl:
		r.define(c)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			r.stmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		r.apart(func() { r.stmt(c.Stmt) })
	case *syntax.DeclClause:
		r.declare(c)
	case *syntax.TestDecl:
		r.stmt(c.Body)
	default:
		r.inside(c)
	}
}

// inside walks the substitutions in tests and arithmetic, which run no commands
// of their own.
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

// binary walks a list or a pipeline. Their left sides nest as deep as they are
// long, so they are laid flat first.
func (r *reader) binary(c *syntax.BinaryCmd) {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		r.pipeline(c)
		return
	}
	var list []*syntax.Stmt // last first
	var ops []syntax.BinCmdOperator
	for {
		list, ops = append(list, c.Y), append(ops, c.Op)
		left, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(c.X.Redirs) > 0 || left.Op == syntax.Pipe || left.Op == syntax.PipeAll {
			list = append(list, c.X)
			break
		}
		c = left
	}
	r.andOr(list, ops)
}

// andOr runs a && b || c. What comes after || runs when something before failed,
// so that nothing before it can be relied on; what comes after the whole list may
// have run or not.
func (r *reader) andOr(list []*syntax.Stmt, ops []syntax.BinCmdOperator) {
	failed := r.state.clone()
	r.stmt(list[len(list)-1])
	ended := r.state.clone()
	for i := len(list) - 2; i >= 0; i-- {
		s := list[i]
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
		if len(c.Args) == 0 {
			return false
		}
		switch c.Args[0].Lit() {
		case "exit", "return", "break", "continue":
			return true
		}
	case *syntax.Block:
		return leaveAll(c.Stmts)
	}
	return false
}

func leaveAll(list []*syntax.Stmt) bool { return len(list) > 0 && leaves(list[len(list)-1]) }
