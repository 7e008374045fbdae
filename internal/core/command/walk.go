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
		w.declare(c)
	case *syntax.Block:
		w.stmts(c.Stmts)
	case *syntax.Subshell:
		w.inSubshell(func() { w.stmts(c.Stmts) })
	case *syntax.FuncDecl:
		w.define(&function{name: c.Name.Value, body: []*syntax.Stmt{c.Body}, src: w.src})
	case *syntax.BinaryCmd:
		if isPipe(c) {
			w.pipeline(c)
		} else {
			w.hideOutput(func() { w.andOr(c) })
		}
	default:
		w.hideOutput(func() { w.control(c) })
	}
}

// control walks commands that may skip their parts.
func (w walker) control(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.IfClause:
		w.stmts(c.Cond)
		end := w.clone()
		for ; c != nil; c = c.Else {
			if w.branch(&end, c.Then); c.Else != nil {
				w.stmts(c.Else.Cond)
			}
		}
		w.state = end
	case *syntax.WhileClause:
		w.loop(slices.Concat(c.Cond, c.Do))
	case *syntax.ForClause:
		w.forClause(c)
	case *syntax.CaseClause:
		w.expand(c.Word)
		end := w.clone()
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				w.expand(p)
			}
			w.branch(&end, item.Stmts)
		}
		w.state = end
	case *syntax.TimeClause:
		if c.Stmt != nil {
			w.stmt(c.Stmt)
		}
	case *syntax.CoprocClause:
		w.inSubshell(func() { w.stmt(c.Stmt) })
	default:
		w.inside(c)
	}
}

// inside walks the substitutions in tests and arithmetic, which run no other commands.
func (w walker) inside(n syntax.Node) {
	if n == nil {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		word, isWord := n.(*syntax.Word)
		switch {
		case n == nil:
			w.depth--
		case isWord:
			w.expand(word)
		default:
			w.enter()
		}
		return !isWord
	})
}

func isPipe(c *syntax.BinaryCmd) bool { return c.Op == syntax.Pipe || c.Op == syntax.PipeAll }

// flatten lists the parts of a list or a pipeline and the operators between them. The tree nests on
// the left as deep as the list is long.
func flatten(c *syntax.BinaryCmd) (list []*syntax.Stmt, ops []syntax.BinCmdOperator) {
	for left, nests := c, true; nests; {
		c = left
		list, ops = append(list, c.Y), append(ops, c.Op)
		left, nests = c.X.Cmd.(*syntax.BinaryCmd)
		nests = nests && len(c.X.Redirs) == 0 && isPipe(left) == isPipe(c)
	}
	list = append(list, c.X)
	slices.Reverse(list)
	slices.Reverse(ops)
	return list, ops
}

// pipeline runs each part in a subshell, with the previous part's output as input.
func (w walker) pipeline(c *syntax.BinaryCmd) {
	parts, _ := flatten(c)
	saved := w.clone()
	for _, part := range parts[:len(parts)-1] {
		out := w.capture(func() { w.stmt(part) })
		w.state = saved.clone()
		w.stdin = out
	}
	w.stmt(parts[len(parts)-1])
	w.state = saved
}

// andOr runs a && b || c. The part after || runs if something before it failed, so nothing before
// can be relied on; the list may end after any part.
func (w walker) andOr(c *syntax.BinaryCmd) {
	list, ops := flatten(c)
	start := w.clone()
	w.stmt(list[0])
	ended := w.clone()
	w.maybe++
	for i, s := range list[1:] {
		before := w.clone()
		if ops[i] == syntax.OrStmt {
			w.merge(start)
		}
		if w.stmt(s); ops[i] == syntax.OrStmt && leaves([]*syntax.Stmt{s}, "exit return break continue") {
			w.state = before
		} else {
			ended.merge(w.clone())
		}
	}
	w.maybe--
	w.merge(ended)
}

// leaves reports whether the last statement is one of these words.
func leaves(list []*syntax.Stmt, words string) bool {
	if len(list) == 0 {
		return false
	}
	switch c := list[len(list)-1].Cmd.(type) {
	case *syntax.CallExpr:
		return len(c.Args) > 0 && hasWord(words, c.Args[0].Lit())
	case *syntax.Block:
		return leaves(c.Stmts, words)
	}
	return false
}

// branch runs statements that may not run, and merges the resulting state into end.
func (w walker) branch(end *state, list []*syntax.Stmt) {
	start := w.clone()
	w.maybe++
	if w.stmts(list); !leaves(list, "exit") {
		end.merge(w.clone())
	}
	w.maybe--
	w.state = start
}

// maybeRun runs a body that may not run.
func (w walker) maybeRun(body []*syntax.Stmt) {
	end := w.clone()
	w.branch(&end, body)
	w.state = end
}

// loop walks a body twice, since a round may see what the previous one set. The first pass only
// collects those assignments.
func (w walker) loop(body []*syntax.Stmt) {
	w.tryOut(func() { w.maybeRun(body) })
	w.maybeRun(body)
}

const maxUnroll = 64

// forClause walks the body once per word if the words are known, otherwise as a loop.
func (w walker) forClause(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.inside(c.Loop)
		w.loop(c.Do)
		return
	}
	items, before := w.fields(words.Items), w.unroll
	if !words.InPos.IsValid() {
		items = w.vars["@"].list
	}
	all := joinWords(items)
	w.unroll = max(before, 1) * max(len(items), 1)
	if len(items) == 0 || w.unroll > maxUnroll || hasMark(all) {
		w.unroll, items = before, nil
		w.setVariable(words.Name.Value, markOf(all))
		w.loop(c.Do)
	}
	for _, it := range items {
		w.setVariable(words.Name.Value, it)
		w.maybeRun(c.Do)
	}
	w.unroll = before
}
