package taskdoc

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Bashism is something in a command that other shells do not have, or read otherwise
// without an error: what is an error in their grammar, they find themselves.
type Bashism struct {
	What  string // as it is written
	Probe string // a command that fails in a shell that does not take it
}

// Bashisms are those of a command, each once. A command that cannot be read has none.
func Bashisms(command string) (list []Bashism) {
	file, err := parser().Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if b, ok := bashismOf(n); ok && !slices.Contains(list, b) {
			list = append(list, b)
		}
		return true
	})
	return list
}

// builtins of bash that are commands in its grammar.
var builtins = []string{"source", "pushd", "popd", "dirs", "shopt", "mapfile", "readarray", "compgen", "complete", "disown", "builtin", "caller", "enable"}

func bashismOf(n syntax.Node) (Bashism, bool) {
	switch n := n.(type) {
	case *syntax.TestClause:
		return Bashism{"[[ ]]", "[[ a == a ]]"}, true
	case *syntax.ArithmCmd:
		return Bashism{"(( ))", "((1))"}, true
	case *syntax.LetClause:
		return builtin("let")
	case *syntax.DeclClause:
		if !slices.Contains([]string{"export", "readonly", "local"}, n.Variant.Value) {
			return builtin(n.Variant.Value)
		}
	case *syntax.Redirect:
		if n.Op == syntax.RdrAll || n.Op == syntax.AppAll {
			return Bashism{n.Op.String(), `[ -z "$(echo x &>/dev/null; wait)" ]`}, true
		}
	case *syntax.SglQuoted:
		if n.Dollar {
			return Bashism{"$'…'", `[ $'a\tb' = "$(printf 'a\tb')" ]`}, true
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			return Bashism{`$"…"`, `[ $"a" = a ]`}, true
		}
	case *syntax.ParamExp:
		return expansion(n)
	case *syntax.CallExpr:
		return call(n)
	}
	return Bashism{}, false
}

func builtin(name string) (Bashism, bool) {
	return Bashism{name, "command -v " + name + " >/dev/null"}, true
}

func expansion(n *syntax.ParamExp) (Bashism, bool) {
	switch {
	case n.Excl:
		return Bashism{"${!name}", `a=x; b=a; [ "${!b}" = x ]`}, true
	case n.Slice != nil:
		return Bashism{"${name:offset}", `a=xyz; [ "${a:1}" = yz ]`}, true
	case n.Repl != nil:
		return Bashism{"${name/a/b}", `a=xyz; [ "${a/y/z}" = xzz ]`}, true
	case n.Index != nil:
		return Bashism{"${name[index]}", `a=x; [ "${a[0]}" = x ]`}, true
	case n.Exp != nil && slices.Contains([]syntax.ParExpOperator{syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll}, n.Exp.Op):
		return Bashism{"${name^^}", `a=x; [ "${a^^}" = X ]`}, true
	}
	return Bashism{}, false
}

func call(n *syntax.CallExpr) (Bashism, bool) {
	if len(n.Args) == 0 {
		return Bashism{}, false
	}
	has := func(word string) bool {
		return slices.ContainsFunc(n.Args[1:], func(w *syntax.Word) bool { return w.Lit() == word })
	}
	switch name := n.Args[0].Lit(); {
	case slices.Contains(builtins, name):
		return builtin(name)
	case (name == "[" || name == "test") && has("=="):
		return Bashism{name + " a == b", "[ a == a ]"}, true
	case name == "set" && has("pipefail"):
		return Bashism{"set -o pipefail", "set -o pipefail"}, true
	}
	return Bashism{}, false
}
