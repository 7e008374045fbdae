package command

import (
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
		return r.input()
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

// touch notes that a file is written, removed or changed.
func (r *reader) touch(a arg) {
	if r.touchKeeping(a) {
		r.files[r.key(a.s)] = mark
	}
}

func (r *reader) touchAll(list []arg) {
	for _, a := range list {
		r.touch(a)
	}
}

// touchKeeping notes a file that keeps its text. A path that is not known is of no
// use to anyone, unless a known part of it is a guarded folder.
func (r *reader) touchKeeping(a arg) bool {
	if a.s == "" || strings.HasPrefix(a.s, "/dev/") {
		return false
	}
	if p := r.abs(a.s); p != "" {
		r.emit(Act{Kind: Touch, Path: p})
	} else if isGuarded(a.s) {
		r.noteUnknown("the path leads to files of git or to the agent's settings, and is made at run time")
	}
	return true
}

// writesFile tells whether a redirection writes to a file, and whether at its end.
func writesFile(rd *syntax.Redirect) (out, appends bool) {
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

// redirected runs a statement with its files. The shell opens them before it runs
// the command, and what it wrote is known after.
func (r *reader) redirected(s *syntax.Stmt) {
	type target struct {
		key             string
		stdout, appends bool
	}
	var targets []target
	r.words = r.source(s)
	for _, rd := range s.Redirs {
		out, appends := writesFile(rd)
		if !out {
			r.readFrom(rd)
			continue
		}
		file := r.one(rd.Word)
		r.touchKeeping(file)
		targets = append(targets, target{r.key(file.s), rd.N == nil || rd.N.Value == "1", appends})
	}
	printed := r.capture(func() {
		if s.Cmd != nil {
			r.command(s.Cmd)
		} else if text, ok := r.input(); ok {
			r.print(text) // $(< file)
		} else {
			r.print(mark)
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
	text, ok := "", true
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		text = r.heredoc(rd)
	case syntax.WordHdoc:
		text = r.one(rd.Word).s + "\n"
	case syntax.RdrIn:
		text, ok = r.content(r.one(rd.Word).s)
	default:
		r.one(rd.Word)
		return
	}
	if rd.N != nil && rd.N.Value != "0" {
		return
	}
	if r.stdin = nil; ok {
		r.stdin = &text
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
