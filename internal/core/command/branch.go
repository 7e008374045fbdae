package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// branches runs each of several ways from the same state, and leaves what holds
// after any of them.
func (r *reader) branches(ways []func() (left bool)) {
	start := r.state.clone()
	var after *state
	for _, way := range ways {
		r.state = start.clone()
		if way() {
			continue
		}
		if after == nil {
			s := r.state.clone()
			after = &s
		} else {
			after.merge(r.state)
		}
	}
	if r.state = start; after != nil {
		r.state = *after
	}
}

func (r *reader) ifClause(c *syntax.IfClause) {
	r.enter()
	defer func() { r.depth-- }()
	r.stmts(c.Cond)
	r.branches([]func() bool{
		func() bool { r.stmts(c.Then); return leaveAll(c.Then) },
		func() bool {
			if c.Else != nil {
				r.ifClause(c.Else)
				return len(c.Else.Cond) == 0 && leaveAll(c.Else.Then)
			}
			return false
		},
	})
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
	r.branches(ways)
}

// loop walks a body once. What the body sets may come from the round before, so
// it counts as not told until the body sets it.
func (r *reader) loop(n syntax.Node, body func()) {
	mark := dyn
	if mentionsGit(r.text(n)) || mentionsGit(r.span(n)) {
		mark = dynGit
	}
	r.assigned(n, func(name string) { r.set(name, value{list: []string{mark}}) })
	r.branches([]func() bool{
		func() bool { body(); return false },
		func() bool { return false },
	})
}

// span is a node's text in full.
func (r *reader) span(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(r.src) {
		return ""
	}
	return r.src[from:to]
}

// assigned lists the variables that a node sets, by name. A cd in a loop leaves
// the folder of the next round untold.
func (r *reader) assigned(n syntax.Node, set func(name string)) {
	depth := 0
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			depth--
			return true
		}
		if depth++; depth > maxDepth {
			panic(errBound)
		}
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				set(n.Name.Value)
			}
		case *syntax.CallExpr:
			if len(n.Args) > 0 {
				if lit := n.Args[0].Lit(); lit == "cd" || lit == "pushd" || lit == "popd" {
					r.dirAfter(n)
				}
			}
		case *syntax.Subshell:
			depth--
			return false
		}
		return true
	})
}

// dirAfter forgets the folder for a cd to a relative one inside a loop.
func (r *reader) dirAfter(c *syntax.CallExpr) {
	if len(c.Args) < 2 || !strings.HasPrefix(c.Args[1].Lit(), "/") {
		r.dir = ""
	}
}

const maxUnroll = 64

// forClause walks the body once for each word that is told, else once for all.
func (r *reader) forClause(c *syntax.ForClause) {
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		r.inside(c.Loop)
		r.loop(c, func() { r.stmts(c.Do) })
		return
	}
	items := r.fields(words.Items)
	if !words.InPos.IsValid() && r.told {
		items = r.params
	}
	rounds := max(r.unroll, 1) * max(len(items), 1)
	if len(items) == 0 || rounds > maxUnroll || anyUntold(items) {
		mark := dyn
		if anyNear(items) {
			mark = dynGit
		}
		r.loop(c, func() {
			r.set(words.Name.Value, value{list: []string{mark}})
			r.stmts(c.Do)
		})
		return
	}
	before := r.unroll
	r.unroll = rounds
	for _, it := range items {
		r.loop(c, func() {
			r.set(words.Name.Value, value{list: []string{it.s}})
			r.stmts(c.Do)
		})
	}
	r.unroll = before
}

func anyUntold(args []arg) bool {
	for _, a := range args {
		if untold(a.s) {
			return true
		}
	}
	return false
}

func anyNear(args []arg) bool {
	for _, a := range args {
		if mentionsGit(a.s) || strings.Contains(a.s, dynGit) {
			return true
		}
	}
	return false
}
