package command

import (
	"cmp"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// key names a file: by its path or, where that is not known, as it is written.
func (r *reader) key(name string) string {
	if p := r.abs(name); p != "" {
		return p
	}
	return name
}

// content is a file's text, as the command or the disk has it.
func (r *reader) content(name string) (string, bool) {
	switch name {
	case "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return r.stdin, r.stdin != ""
	}
	key := r.key(name)
	if text, ok := r.files[key]; ok {
		return text, true
	}
	if !path.IsAbs(key) || r.env.Script == nil {
		return "", false
	}
	text, ok := r.env.Script(key)
	compiled := strings.IndexByte(text[:min(len(text), 512)], 0) >= 0
	return text, ok && !compiled
}

// target is a file that a statement writes to.
type target struct {
	key             string
	stdout, appends bool
}

// writesFile tells whether a redirection writes to a file.
func writesFile(rd *syntax.Redirect) bool {
	switch rd.Op {
	case syntax.RdrOut, syntax.ClbOut, syntax.RdrAll, syntax.RdrInOut, syntax.AppOut, syntax.AppAll:
		return true
	case syntax.DplOut:
		lit := rd.Word.Lit()
		return lit == "" || strings.Trim(lit, "0123456789-") != ""
	}
	return false
}

// redirected runs a statement with its files. The shell opens them before it runs
// the command, and what it wrote is known after.
func (r *reader) redirected(s *syntax.Stmt) {
	var targets []target
	r.words = r.source(s)
	for _, rd := range s.Redirs {
		if !writesFile(rd) {
			r.readFrom(rd)
			continue
		}
		file := r.one(rd.Word)
		r.touch(file)
		targets = append(targets, target{r.key(file), rd.N == nil || rd.N.Value == "1", rd.Op == syntax.AppOut || rd.Op == syntax.AppAll})
	}
	printed := r.capture(func() {
		if s.Cmd != nil {
			r.command(s.Cmd)
		} else {
			r.print(cmp.Or(r.stdin, mark)) // $(< file)
		}
	})
	toFile := false
	for _, t := range targets {
		text := mark
		if t.stdout {
			text, toFile = printed, true
		}
		if t.appends {
			before, _ := r.content(t.key)
			checkSize(len(before) + len(text))
			text = before + text
		}
		r.files[t.key] = text
	}
	if !toFile {
		r.print(printed)
	}
}

// readFrom sets the input that a redirection gives.
func (r *reader) readFrom(rd *syntax.Redirect) {
	text := r.one(rd.Word)
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		text = r.heredoc(rd)
	case syntax.WordHdoc:
		text += "\n"
	case syntax.RdrIn:
		text, _ = r.content(text)
	default:
		return
	}
	if rd.N == nil || rd.N.Value == "0" {
		r.stdin = text
	}
}

// heredoc is the text of a here-document: literal where its end is quoted.
func (r *reader) heredoc(rd *syntax.Redirect) string {
	if rd.Hdoc == nil {
		return ""
	}
	if lit, ok := rd.Hdoc.Parts[0].(*syntax.Lit); ok && len(rd.Hdoc.Parts) == 1 && rd.Word.Lit() == "" {
		return lit.Value
	}
	b := builder{r: r, whole: true}
	b.parts(rd.Hdoc.Parts, true)
	return string(b.cur)
}

// print adds to what the current command prints.
func (r *reader) print(s string) {
	if r.out == nil {
		return
	}
	checkSize(len(r.out) + len(s))
	r.out = append(r.out, s...)
}

// capture is what f prints.
func (r *reader) capture(f func()) string {
	before := r.out
	r.out = []byte{}
	f()
	text := string(r.out)
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
