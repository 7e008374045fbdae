package command

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (r *reader) print(s string) {
	if r.out != nil {
		checkSize(len(r.out) + len(s))
		r.out = append(r.out, s...)
	}
}

// capture returns what f prints.
func (r *reader) capture(f func()) string {
	before := r.out
	r.out = []byte{}
	f()
	text := string(r.out)
	r.out = before
	return text
}

// isFresh reports whether the command wrote this file.
func (r *reader) isFresh(name string) bool { return slices.Contains(r.fresh, r.key(name)) }

// write records what is written to files. Which file got what does not matter: each counts as
// having all of it.
func (r *reader) write(text string) {
	if checkSize(len(r.written) + len(text)); !strings.Contains(r.written, text) {
		r.written += text
	}
}

// content returns the text of a file, or of the input if it has no name; "" if unknown.
func (r *reader) content(name string) string {
	switch p := r.abs(name); {
	case name == "" || hasWord("/dev/stdin /dev/fd/0 /proc/self/fd/0", name):
		return r.stdin
	case r.isFresh(name):
		return cmp.Or(r.written, mark)
	case p != "" && r.env.Script != nil:
		if text, ok := r.env.Script(p); ok && len(text) <= maxScript && strings.IndexByte(text, 0) < 0 {
			return text
		}
	}
	return ""
}

// writesFile reports whether a redirection writes to a file.
func writesFile(rd *syntax.Redirect) bool {
	lit := rd.Word.Lit()
	toStream := rd.Op == syntax.DplOut && lit != "" && strings.Trim(lit, "0123456789-") == ""
	return !toStream && hasWord("> >| &> <> >> &>> >&", rd.Op.String())
}

// redirected runs a statement with its redirections. The shell opens the files before the command
// runs; their content is known after.
func (w walker) redirected(s *syntax.Stmt) {
	w.words = w.source(s)
	toFile := false
	for _, rd := range s.Redirs {
		if !writesFile(rd) {
			w.readFrom(rd)
			continue
		}
		w.touch(w.expandOne(rd.Word, false))
		toFile = toFile || rd.N == nil || rd.N.Value == "1"
	}
	printed := w.capture(func() {
		if s.Cmd != nil {
			w.command(s.Cmd)
		} else {
			w.print(cmp.Or(w.stdin, mark)) // $(< file)
		}
	})
	if toFile {
		w.write(printed)
	} else {
		w.print(printed)
	}
}

// readFrom sets the input from a redirection.
func (w walker) readFrom(rd *syntax.Redirect) {
	text := w.expandOne(rd.Word, false)
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		text = w.expandOne(rd.Hdoc, true) // with the tabs that <<- strips, which mean nothing to a shell
	case syntax.WordHdoc:
		text += "\n"
	case syntax.RdrIn:
		text = w.content(text)
	default:
		return
	}
	if rd.N == nil || rd.N.Value == "0" {
		w.stdin = text
	}
}

// substitute returns the text of a command substitution.
func (w walker) substitute(list []*syntax.Stmt) string {
	text := w.capture(func() { w.inSubshell(func() { w.stmts(list) }) })
	return strings.NewReplacer(mark, mark+markList, markGit, markGit+markList).Replace(strings.TrimRight(text, "\n"))
}

// substituteProcess gives <(…) a path, so that a shell that reads it is followed.
func (w walker) substituteProcess(p *syntax.ProcSubst) string {
	if p.Op == syntax.CmdOut {
		w.stdin = mark // what the command writes into it
	}
	w.write(w.substitute(p.Stmts) + "\n")
	const name = "/dev/fd/63"
	w.fresh = append(w.fresh, name)
	return name
}
