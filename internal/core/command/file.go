package command

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// file is what the command left in a file.
type file struct {
	text  string
	known telling
}

func (r *reader) keep(name string, f file) {
	if r.files == nil {
		r.files = map[string]file{}
	}
	r.files[name] = f
}

// key names a file: by its path or, where that cannot be told, as it is written.
func (r *reader) key(name string) string {
	if p := r.abs(name); p != "" {
		return p
	}
	return name
}

// content is a file's text, as the command or the disk has it.
func (r *reader) content(name string) (string, telling) {
	switch name {
	case "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return r.stdin.get()
	}
	key := r.key(name)
	if f, ok := r.files[key]; ok {
		return f.text, f.known
	}
	if path.IsAbs(key) && r.env.Script != nil {
		if text, ok := r.env.Script(key); ok {
			return text, tell
		}
	}
	return "", absent
}

// touch notes that a file is written, removed or changed.
func (r *reader) touch(a arg) {
	if r.noteTouch(a) {
		r.keep(r.key(a.s), file{known: untell})
	}
}

// noteTouch notes a file that keeps its text. A path that cannot be told is of
// no use to anyone, unless what is told of it lies in a guarded folder.
func (r *reader) noteTouch(a arg) bool {
	if a.s == "" || strings.HasPrefix(a.s, "/dev/") {
		return false
	}
	p := r.abs(a.s)
	switch {
	case p != "":
		r.emit(Act{Kind: Touch, Path: p})
	case guarded(a.s):
		r.unknown("a path of git or of the agent's settings that cannot be told")
	}
	return true
}

// writes tells whether a redirection writes to a file, and whether at its end.
func writes(rd *syntax.Redirect) (out, appends bool) {
	switch rd.Op {
	case syntax.RdrOut, syntax.ClbOut, syntax.RdrAll, syntax.RdrInOut:
		return true, false
	case syntax.AppOut, syntax.AppAll:
		return true, true
	case syntax.DplOut:
		lit := rd.Word.Lit()
		return lit == "" || strings.Trim(lit, "0123456789-") != "", false
	}
	return false, false
}

// redirects notes the files that a statement opens, and sets its input.
func (r *reader) redirects(s *syntax.Stmt) {
	for _, rd := range s.Redirs {
		if out, _ := writes(rd); out {
			r.noteTouch(r.one(rd.Word))
			continue
		}
		r.reads(rd)
	}
}

func (r *reader) reads(rd *syntax.Redirect) {
	if rd.N != nil && rd.N.Value != "0" {
		if rd.Hdoc != nil {
			r.one(rd.Hdoc)
		} else {
			r.one(rd.Word)
		}
		return
	}
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		r.stdin = given(r.heredoc(rd))
	case syntax.WordHdoc:
		r.stdin = given(r.one(rd.Word).s + "\n")
	case syntax.RdrIn:
		name := r.one(rd.Word).s
		if stdin := r.stdin; name != "/dev/stdin" {
			r.stdin = input{open: true, text: func() (string, telling) { return r.content(name) }}
		} else {
			r.stdin = stdin
		}
	}
}

// heredoc is the text of a here-document: literal where its end is quoted.
func (r *reader) heredoc(rd *syntax.Redirect) string {
	if rd.Hdoc == nil {
		return ""
	}
	var text string
	if lit, ok := rd.Hdoc.Parts[0].(*syntax.Lit); ok && len(rd.Hdoc.Parts) == 1 && rd.Word.Lit() == "" {
		text = lit.Value
	} else {
		b := builder{r: r, whole: true}
		b.parts(rd.Hdoc.Parts, true)
		text = string(b.cur)
	}
	if rd.Op == syntax.DashHdoc {
		text = strings.ReplaceAll("\n"+text, "\n\t", "\n")[1:]
	}
	return text
}

// wrote keeps the text that a statement leaves in a file, when it can be told.
func (r *reader) wrote(s *syntax.Stmt) {
	for _, rd := range s.Redirs {
		out, appends := writes(rd)
		if !out {
			continue
		}
		r.quiet++
		key := r.key(r.one(rd.Word).s)
		r.quiet--
		f := file{known: untell}
		if rd.N == nil || rd.N.Value == "1" {
			plain := *s
			plain.Redirs = inputs(s.Redirs)
			if text, ok := r.outputs([]*syntax.Stmt{&plain}); ok {
				f = file{text: text, known: tell}
			}
		}
		if appends && f.known == tell {
			before, known := r.content(key)
			f.text = before + f.text
			if known == untell {
				f.known = untell
			}
		}
		r.keep(key, f)
	}
}

func inputs(list []*syntax.Redirect) []*syntax.Redirect {
	var in []*syntax.Redirect
	for _, rd := range list {
		if out, _ := writes(rd); !out {
			in = append(in, rd)
		}
	}
	return in
}
