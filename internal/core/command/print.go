package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

var (
	// decoders make texts in which nothing can be seen.
	decoders = text.WordSet{List: "base64 base32 xxd rev tr openssl gunzip zcat uudecode gpg hexdump od curl wget nc"}
	// evals print settings that shells are meant to eval.
	evals = text.WordSet{List: `ssh-agent gpg-agent keychain direnv pyenv rbenv nodenv goenv jenv brew conda micromamba mise
 asdf fnm opam dircolors starship zoxide minikube docker-machine luarocks register-python-argcomplete lesspipe`}
)

// print adds to what the current command prints.
func (r *reader) print(s string) {
	if r.out == nil {
		return
	}
	checkSize(r.out.Len() + len(s))
	r.out.WriteString(s)
}

// capture is what f prints.
func (r *reader) capture(f func()) string {
	before := r.out
	r.out = &strings.Builder{}
	f()
	text := r.out.String()
	r.out = before
	return text
}

// hideOutput runs f, which may print or not, or in another order.
func (r *reader) hideOutput(f func()) {
	if text := r.capture(f); text != "" {
		r.print(markOf(text))
	}
}

// substitute is the text of a command substitution.
func (r *reader) substitute(list []*syntax.Stmt) string {
	text := r.capture(func() { r.apart(func() { r.stmts(list) }) })
	return strings.TrimRight(text, "\n")
}

// substituteProcess gives <(…) a path, so that a shell can be seen to read it.
func (r *reader) substituteProcess(p *syntax.ProcSubst) string {
	text := r.capture(func() {
		r.apart(func() {
			if r.stdin = nil; p.Op == syntax.CmdOut {
				in := mark
				r.stdin = &in
			}
			r.stmts(p.Stmts)
		})
	})
	r.substs++
	name := "/dev/fd/s" + strconv.Itoa(r.substs)
	r.files[name] = text
	return name
}

// outputOf is what a program prints, or the mark for it.
func (r *reader) outputOf(base string, args []arg) string {
	stdin, _ := r.input()
	switch base {
	case "cat", "tee":
		if text, ok := r.input(); ok && (base == "tee" || len(args) == 0) {
			return text
		}
		if len(args) == 1 {
			if text, ok := r.content(args[0].s); ok {
				return text
			}
		}
	case "mktemp":
		// A fresh folder: what happens there happens nowhere else.
		if _, set := r.vars["TMPDIR"]; !set && strings.Trim(joinWords(args), "-dq ") == "" {
			return "/tmp/mktemp.fresh"
		}
	case "which", "type":
		if n := len(args); n > 0 {
			return args[n-1].s
		}
	case "git":
		if n := len(args); n > 1 && args[0].s == "rev-parse" {
			// Where git's folder is is unknown, that it is guarded is not.
			switch last := args[n-1].s; {
			case last == "--git-dir" || last == "--git-common-dir" || last == "--absolute-git-dir":
				return mark + "/.git"
			case args[n-2].s == "--git-path":
				return mark + "/.git/" + last
			}
		}
	}
	switch {
	case decoders.Has(base) || strings.Contains(stdin, markGit):
		return markGit
	case evals.Has(base):
		return markSafe
	}
	return mark
}

// echo is what the shell's echo prints; with escapes, it is unknown.
func echo(args []arg) string {
	escapes := false
	for len(args) > 0 && len(args[0].s) > 1 && args[0].s[0] == '-' && strings.Trim(args[0].s[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].s, "e")
		args = args[1:]
	}
	text := joinWords(args)
	if escapes && strings.Contains(text, "\\") {
		return markGit
	}
	return text + "\n"
}

// unescape follows the backslashes of $'…'. What Go does not
// write the same way becomes a mark.
func unescape(s string) string {
	var b strings.Builder
	for s != "" {
		if s[0] != '\\' || len(s) == 1 {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		if strings.IndexByte(`'"?`, s[1]) >= 0 {
			b.WriteByte(s[1])
			s = s[2:]
			continue
		}
		c, wide, tail, err := strconv.UnquoteChar(s, 0)
		switch {
		case err != nil && strings.IndexByte("xuUeE01234567c", s[1]) >= 0:
			b.WriteString(mark)
			tail = s[2:]
		case err != nil:
			b.WriteString(s[:2])
			tail = s[2:]
		case wide:
			b.WriteRune(c)
		default:
			b.WriteByte(byte(c))
		}
		s = tail
	}
	return b.String()
}
