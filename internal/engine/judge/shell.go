package judge

import (
	"context"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
	"warp/internal/sys/proc"
)

// Shell checks whether the shell that runs commands would accept them. It runs none of them: the
// shell only parses them, and runs probes of our own.
type Shell struct {
	environ   []string
	supported map[string]bool
}

// NewShell returns the shell that runs commands with an environment.
func NewShell(environ []string) *Shell { return &Shell{environ: environ, supported: map[string]bool{}} }

// readTime is enough for a shell to read a line.
const readTime = 10 * time.Second

// WhyRefused returns why the shell would not run a command; "" if it would, or if there is no shell
// to ask.
func (s *Shell) WhyRefused(ctx context.Context, command string) string {
	if exit, said := s.runShell(ctx, command+"\n", "-n"); exit > 0 {
		return "sh, which runs this command, cannot parse it: " + said
	}
	for _, b := range findBashisms(command) {
		known, asked := s.supported[b.probe]
		if !asked {
			exit, _ := s.runShell(ctx, b.probe+"\n")
			known = exit <= 0
			s.supported[b.probe] = known
		}
		if !known {
			return b.what + " works only in bash, but sh runs this command; rewrite it, or use bash -c '…'"
		}
	}
	return ""
}

// runShell feeds lines to the shell; -1 if it could not be started.
func (s *Shell) runShell(ctx context.Context, lines string, flags ...string) (exit int, said string) {
	res, err := proc.Run(ctx, proc.Cmd{Argv: append([]string{"sh"}, flags...), Env: s.environ, Stdin: strings.NewReader(lines), Timeout: readTime})
	if err != nil || res.TimedOut {
		return -1, ""
	}
	return res.Exit, readReason(string(res.Output))
}

// readReason returns a shell's complaint, without its name and the position.
func readReason(output string) string {
	line := text.Opening(output)
	if _, why, ok := strings.Cut(line, "yntax error: "); ok {
		return why
	}
	return line
}

// bashism is a construct that other shells lack, or read differently without an error. Syntax
// errors they find themselves.
type bashism struct {
	what  string // the construct as written
	probe string // a command that fails in a shell without it
}

// findBashisms lists the bashisms in a command, each once. An unparsable command has none.
func findBashisms(command string) (list []bashism) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
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

// bashBuiltins are builtins that the parser treats as ordinary commands.
var bashBuiltins = []string{"source", "pushd", "popd", "dirs", "shopt", "mapfile", "readarray", "compgen", "complete", "disown", "builtin", "caller", "enable"}

func bashismOf(n syntax.Node) (bashism, bool) {
	switch n := n.(type) {
	case *syntax.TestClause:
		return bashism{"[[ ]]", "[[ a == a ]]"}, true
	case *syntax.ArithmCmd:
		return bashism{"(( ))", "((1))"}, true
	case *syntax.LetClause:
		return bashBuiltin("let")
	case *syntax.DeclClause:
		if !slices.Contains([]string{"export", "readonly", "local"}, n.Variant.Value) {
			return bashBuiltin(n.Variant.Value)
		}
	case *syntax.Redirect:
		if n.Op == syntax.RdrAll || n.Op == syntax.AppAll {
			return bashism{n.Op.String(), `[ -z "$(echo x &>/dev/null; wait)" ]`}, true
		}
	case *syntax.SglQuoted:
		if n.Dollar {
			return bashism{"$'…'", `[ $'a\tb' = "$(printf 'a\tb')" ]`}, true
		}
	case *syntax.DblQuoted:
		if n.Dollar {
			return bashism{`$"…"`, `[ $"a" = a ]`}, true
		}
	case *syntax.ParamExp:
		return bashExpansion(n)
	case *syntax.CallExpr:
		return bashCall(n)
	}
	return bashism{}, false
}

func bashBuiltin(name string) (bashism, bool) {
	return bashism{name, "command -v " + name + " >/dev/null"}, true
}

func bashExpansion(n *syntax.ParamExp) (bashism, bool) {
	switch {
	case n.Excl:
		return bashism{"${!name}", `a=x; b=a; [ "${!b}" = x ]`}, true
	case n.Slice != nil:
		return bashism{"${name:offset}", `a=xyz; [ "${a:1}" = yz ]`}, true
	case n.Repl != nil:
		return bashism{"${name/a/b}", `a=xyz; [ "${a/y/z}" = xzz ]`}, true
	case n.Index != nil:
		return bashism{"${name[index]}", `a=x; [ "${a[0]}" = x ]`}, true
	case n.Exp != nil && slices.Contains([]syntax.ParExpOperator{syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll}, n.Exp.Op):
		return bashism{"${name^^}", `a=x; [ "${a^^}" = X ]`}, true
	}
	return bashism{}, false
}

func bashCall(n *syntax.CallExpr) (bashism, bool) {
	if len(n.Args) == 0 {
		return bashism{}, false
	}
	has := func(word string) bool {
		return slices.ContainsFunc(n.Args[1:], func(w *syntax.Word) bool { return w.Lit() == word })
	}
	switch name := n.Args[0].Lit(); {
	case slices.Contains(bashBuiltins, name):
		return bashBuiltin(name)
	case (name == "[" || name == "test") && has("=="):
		return bashism{name + " a == b", "[ a == a ]"}, true
	case name == "set" && has("pipefail"):
		return bashism{"set -o pipefail", "set -o pipefail"}, true
	}
	return bashism{}, false
}
