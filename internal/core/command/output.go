package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/lexicon"
)

var (
	// decoders make texts in which nothing can be seen.
	decoders = lexicon.Set{List: "base64 base32 xxd rev tr openssl gunzip zcat uudecode gpg hexdump od curl wget nc"}
	// evals print settings that shells are meant to eval.
	evals = lexicon.Set{List: `ssh-agent gpg-agent keychain direnv pyenv rbenv nodenv goenv jenv brew conda micromamba mise
 asdf fnm opam dircolors starship zoxide minikube docker-machine luarocks register-python-argcomplete lesspipe`}
)

// subst is the text of a command substitution; what it runs is noted first.
func (r *reader) subst(list []*syntax.Stmt) string {
	if r.quiet == 0 {
		r.apart(func() { r.stmts(list) })
	}
	if s, ok := r.outputs(list); ok {
		return strings.TrimRight(s, "\n")
	}
	return r.kindOf(list)
}

// kindOf is the mark for an output that cannot be told, by who writes it.
func (r *reader) kindOf(list []*syntax.Stmt) string {
	mark, calls, safe, depth := dyn, 0, 0, 0
	for _, s := range list {
		syntax.Walk(s, func(n syntax.Node) bool {
			if n == nil {
				depth--
				return true
			}
			if depth++; depth > maxDepth {
				panic(errBound)
			}
			if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
				calls++
				if evals.Has(c.Args[0].Lit()) {
					safe++
				}
				if decoders.Has(c.Args[0].Lit()) {
					mark = dynGit
				}
			}
			return true
		})
	}
	if calls == 1 && safe == 1 {
		return dynSafe
	}
	return mark
}

// procSubst gives <(…) a path of its own, so that a shell can be seen to read it.
func (r *reader) procSubst(p *syntax.ProcSubst) string {
	if r.quiet == 0 {
		r.apart(func() {
			r.stdin = input{open: p.Op == syntax.CmdOut}
			r.stmts(p.Stmts)
		})
	}
	r.substs++
	name := "/dev/fd/s" + strconv.Itoa(r.substs)
	f := file{known: untell}
	if s, ok := r.outputs(p.Stmts); ok {
		f = file{text: s, known: tell}
	}
	r.keep(name, f)
	return name
}

// outputs is what statements print, when it can be told without running them.
func (r *reader) outputs(list []*syntax.Stmt) (string, bool) {
	r.quiet++
	defer func() { r.quiet-- }()
	var b strings.Builder
	saved := r.state.clone()
	defer func() { r.state = saved }()
	for _, s := range list {
		text, ok := r.output(s)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

func (r *reader) output(s *syntax.Stmt) (string, bool) {
	r.spend()
	r.enter()
	defer func() { r.depth-- }()
	stdin := r.stdin
	defer func() { r.stdin = stdin }()
	for _, rd := range s.Redirs {
		if out, _ := writes(rd); out && (rd.N == nil || rd.N.Value == "1") {
			return "", false
		}
		r.reads(rd)
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return r.printed(c)
	case *syntax.Block:
		return r.outputs(c.Stmts)
	case *syntax.Subshell:
		return r.outputs(c.Stmts)
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe {
			return "", false
		}
		text, ok := r.output(c.X)
		if !ok {
			return "", false
		}
		r.stdin = given(text)
		return r.output(c.Y)
	}
	return "", false
}

// scratch stands for a fresh folder or file among the system's temporary ones:
// what happens there happens nowhere else. Where it could be anywhere, it is not
// told.
func scratch(args []arg) (string, bool) {
	for _, a := range args {
		if a.s != "-d" && a.s != "-q" && a.s != "-dq" && a.s != "-qd" && a.s != "--directory" {
			return "", false
		}
	}
	return "/tmp/mktemp.fresh", true
}

// printed is the output of the few programs that print what they are given.
func (r *reader) printed(c *syntax.CallExpr) (string, bool) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			r.assign(a)
		}
		return "", true
	}
	args := r.fields(c.Args)
	if len(args) == 0 {
		return "", false
	}
	if args[0].s == "mktemp" && len(c.Assigns) == 0 {
		return scratch(args[1:])
	}
	if anyUntold(args) {
		return "", false
	}
	switch rest := args[1:]; args[0].s {
	case "echo":
		return echo(rest), true
	case "printf":
		return printf(rest)
	case "cat", "tee":
		return r.cat(args[0].s, rest)
	case "pwd":
		return r.dir, r.dir != ""
	case "git":
		return gitFolder(rest)
	case "true", ":", "cd", "export", "set":
		return "", true
	case "which", "type", "command":
		if n := len(rest); n > 0 && (n == 1 || strings.HasPrefix(rest[0].s, "-")) {
			return rest[n-1].s, args[0].s != "command" || n == 2
		}
	}
	return "", false
}

// gitFolder is what git calls its own folder: where it is cannot be told, but
// that it is guarded can.
func gitFolder(args []arg) (string, bool) {
	if len(args) < 2 || args[0].s != "rev-parse" {
		return "", false
	}
	switch last := args[len(args)-1].s; {
	case last == "--git-dir" || last == "--git-common-dir" || last == "--absolute-git-dir":
		return dyn + "/.git", true
	case args[len(args)-2].s == "--git-path":
		return dyn + "/.git/" + last, true
	}
	return "", false
}

func (r *reader) cat(name string, files []arg) (string, bool) {
	if name == "tee" || len(files) == 0 {
		text, known := r.stdin.get()
		return text, known == tell
	}
	var all string
	for _, f := range files {
		text, known := r.stdin.get()
		if f.s != "-" {
			text, known = r.written(f.s)
		}
		if known != tell {
			return "", false
		}
		all += text
	}
	return all, true
}

// written is a file's text. The disk is only asked where the text is about to be
// run: most substitutions are no such thing.
func (r *reader) written(name string) (string, telling) {
	if f, ok := r.files[r.key(name)]; ok {
		return f.text, f.known
	}
	if r.disk {
		return r.content(name)
	}
	return "", untell
}
