package command

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

type walker struct{ *reader }

func (w walker) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		w.stmt(s)
	}
}

func (w walker) stmt(s *syntax.Stmt) {
	defer w.enter()()
	stdin, words := w.stdin, w.words
	switch {
	case s.Background:
		own := *s
		own.Background = false
		w.inSubshell(func() { w.stmt(&own) })
	case len(s.Redirs) > 0:
		w.redirected(s)
	case s.Cmd != nil:
		w.command(s.Cmd)
	}
	w.stdin, w.words = stdin, words
}

// source returns a node's source text.
func (w walker) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if w.pinned > 0 || to > len(w.src) || from >= to {
		return w.words
	}
	return shorten(w.src[from:to])
}

func (w walker) command(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		w.words = w.source(c)
		w.simpleCommand(c)
	case *syntax.DeclClause:
		w.words = w.source(c)
		for _, a := range c.Args {
			if w.assign(a); a.Name != nil && c.Variant.Value != "local" {
				w.export(a.Name.Value)
			}
		}
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.Subshell:
		w.inSubshell(func() { w.stmts(c.Stmts) })
	case *syntax.FuncDecl:
		w.set("command "+c.Name.Value, variable{list: []string{w.src[c.Body.Pos().Offset():c.Body.End().Offset()]}})
	case *syntax.BinaryCmd:
		if isPipe(c) {
			w.pipeline(c)
		} else {
			w.state = w.andOr(&syntax.Stmt{Cmd: c})
		}
	case *syntax.IfClause:
		var bodies [][]*syntax.Stmt
		for ; c != nil; c = c.Else {
			w.stmts(c.Cond)
			bodies = append(bodies, c.Then)
		}
		w.oneOf(bodies...)
	case *syntax.WhileClause:
		w.loop(slices.Concat(c.Cond, c.Do))
	case *syntax.ForClause:
		w.forClause(c)
	case *syntax.CaseClause:
		w.expand(c.Word)
		var bodies [][]*syntax.Stmt
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				w.expand(p)
			}
			bodies = append(bodies, item.Stmts)
		}
		w.oneOf(bodies...)
	default:
		w.inside(c)
	}
}

// inside walks the commands in a part of the tree, and the substitutions in its words.
func (w walker) inside(n syntax.Node) {
	if n == nil {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil:
			w.depth--
		case *syntax.Word:
			w.expand(n)
			return false
		case *syntax.Stmt:
			w.stmt(n)
			return false
		default:
			w.enter()
		}
		return true
	})
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

// pipeline runs each part in a subshell, with the output of the part before as input.
func (w walker) pipeline(c *syntax.BinaryCmd) {
	saved := w.clone()
	out := w.capture(func() { w.stmt(c.X) })
	w.state, w.stdin = saved.clone(), out
	w.stmt(c.Y)
	w.state = saved
}

// andOr runs a && b || c, leaves the state in which the list has succeeded, and returns the one in
// which it has ended, which may be after any part. The part after || runs if something before it
// failed, so nothing before can be relied on.
func (w walker) andOr(s *syntax.Stmt) (ended state) {
	defer w.enter()()
	c, isList := s.Cmd.(*syntax.BinaryCmd)
	if !isList || isPipe(c) || len(s.Redirs) > 0 {
		w.stmt(s)
		return w.clone()
	}
	start := w.clone()
	ended = w.andOr(c.X)
	before := w.clone()
	if c.Op == syntax.OrStmt {
		w.merge(start)
	}
	w.stmt(c.Y)
	if ended.merge(w.clone()); w.left {
		w.state = before
	}
	return ended
}

// oneOf runs bodies of which at most one runs.
func (w walker) oneOf(bodies ...[]*syntax.Stmt) {
	start, end := w.clone(), w.clone()
	for _, body := range bodies {
		w.stmts(body)
		end.merge(w.clone())
		w.state = start
	}
	w.state = end
}

// loop walks a body twice, since a round may see what the previous one set. The first pass only
// collects those assignments.
func (w walker) loop(body []*syntax.Stmt) {
	w.tryOut(func() { w.oneOf(body) })
	w.oneOf(body)
}

// forClause walks the body once per word if the words are known, otherwise as a loop.
func (w walker) forClause(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.inside(c.Loop)
		w.loop(c.Do)
		return
	}
	items := w.fields(words.Items)
	if !words.InPos.IsValid() {
		items = w.vars["@"].list
	}
	if len(items) == 0 || len(items) > maxUnroll || hasMark(joinWords(items)) {
		w.setVariable(words.Name.Value, markOf(items...))
		w.loop(c.Do)
		return
	}
	for _, it := range items {
		w.setVariable(words.Name.Value, it)
		w.oneOf(c.Do)
	}
}
