package program

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// readShell finds the commands and flags of a shell script: the patterns of its
// case statements over its arguments.
func readShell(p *Program, text string) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		p.OpenFlags, p.OpenCommands = true, true
		return
	}
	first := map[string]bool{"1": true} // variables that hold the first argument
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil && variable(n.Value) == "1" {
				first[n.Name.Value] = true
			}
		case *syntax.CallExpr:
			if len(n.Args) > 1 && n.Args[0].Lit() == "getopts" {
				spec := strings.Trim(plain(n.Args[1]), ":")
				for _, r := range strings.ReplaceAll(spec, ":", "") {
					p.Everywhere[string(r)] = Maybe
				}
			}
		case *syntax.CaseClause:
			readCase(p, n, first)
		}
		return true
	})
	long := false
	for name := range p.Everywhere {
		long = long || len(name) > 1
	}
	if !long {
		p.OpenFlags = true
	}
	p.OpenCommands = p.OpenCommands || len(p.Loose) == 0
}

func readCase(p *Program, c *syntax.CaseClause, first map[string]bool) {
	if !first[variable(c.Word)] {
		return
	}
	for _, item := range c.Items {
		for _, pattern := range item.Patterns {
			text := plain(pattern)
			bare := strings.TrimLeft(text, "-")
			switch {
			case text == "*":
				p.Root.Args = p.Root.Args || !ends(item)
			case text == "" || bare == "*" || strings.ContainsAny(bare, "?[$"):
			case bare != text:
				p.Everywhere[strings.TrimSuffix(strings.TrimSuffix(bare, "*"), "=")] = Maybe
			default:
				c := newCommand(text)
				c.Args = true
				p.Loose = append(p.Loose, c)
			}
		}
	}
}

// ends tells whether the script ends in a branch, so that what leads there is
// refused.
func ends(item *syntax.CaseItem) bool {
	found := false
	for _, s := range item.Stmts {
		syntax.Walk(s, func(n syntax.Node) bool {
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				switch c.Args[0].Lit() {
				case "exit", "usage", "die", "fail", "error", "return", "help":
					found = true
				}
			}
			return true
		})
	}
	return found
}

// variable is the name of the one variable that a word is made of.
func variable(w *syntax.Word) string {
	if w == nil || len(w.Parts) != 1 {
		return ""
	}
	part := w.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	if v, ok := part.(*syntax.ParamExp); ok && v.Param != nil {
		return v.Param.Value
	}
	return ""
}

func plain(w *syntax.Word) string {
	var b strings.Builder
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if l, ok := q.(*syntax.Lit); ok {
					b.WriteString(l.Value)
				}
			}
		}
	}
	return b.String()
}
