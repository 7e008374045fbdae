package command

import (
	"cmp"
	"path"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// output collects what commands print; nil if nothing reads it.
type output struct{ out []byte }

func (o *output) print(s string) {
	if o.out != nil {
		checkSize(len(o.out) + len(s))
		o.out = append(o.out, s...)
	}
}

// capture returns what f prints.
func (o *output) capture(f func()) string {
	before := o.out
	o.out = []byte{}
	f()
	text := string(o.out)
	o.out = before
	return text
}

// hideOutput runs f, whose output may be missing or in another order.
func (o *output) hideOutput(f func()) {
	if text := o.capture(f); text != "" {
		o.print(markOf(text))
	}
}

// content returns a file's text, as the command or the disk has it; without a name, the input.
func (r *reader) content(name string) (string, bool) {
	if name == "" || hasWord("/dev/stdin /dev/fd/0 /proc/self/fd/0", name) {
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

// write records a file's text. If the write is conditional, it keeps the earlier text too.
func (r *reader) write(key, text string, appends bool) {
	before := ""
	if appends {
		before, _ = r.content(key)
	} else if r.maybe > 0 && r.files[key] != "" {
		before = r.files[key] + "\n"
	}
	checkSize(len(before) + len(text))
	r.files[key] = before + text
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
	targets := map[*syntax.Redirect]string{}
	w.words = w.source(s)
	for _, rd := range s.Redirs {
		if !writesFile(rd) {
			w.readFrom(rd)
			continue
		}
		file := w.expandOne(rd.Word)
		w.touchKeeping(file)
		targets[rd] = w.key(file)
	}
	printed := w.capture(func() {
		if s.Cmd != nil {
			w.command(s.Cmd)
		} else {
			w.print(cmp.Or(w.stdin, mark)) // $(< file)
		}
	})
	toFile := false
	for _, rd := range s.Redirs {
		key, text := targets[rd], mark
		if key == "" {
			continue
		}
		if rd.N == nil || rd.N.Value == "1" {
			text, toFile = printed, true
		}
		w.write(key, text, rd.Op == syntax.AppOut || rd.Op == syntax.AppAll)
	}
	if !toFile {
		w.print(printed)
	}
}

// readFrom sets the input from a redirection.
func (w walker) readFrom(rd *syntax.Redirect) {
	text := w.expandOne(rd.Word)
	switch rd.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		text = w.heredoc(rd)
	case syntax.WordHdoc:
		text += "\n"
	case syntax.RdrIn:
		text, _ = w.content(text)
	default:
		return
	}
	if rd.N == nil || rd.N.Value == "0" {
		w.stdin = text
	}
}

// heredoc returns the text of a here-document, literal if its delimiter is quoted. The tabs that
// <<- strips mean nothing to a shell.
func (w walker) heredoc(rd *syntax.Redirect) string {
	if rd.Hdoc == nil {
		return ""
	}
	if lit, ok := rd.Hdoc.Parts[0].(*syntax.Lit); ok && len(rd.Hdoc.Parts) == 1 && rd.Word.Lit() == "" {
		return lit.Value
	}
	b := builder{walker: w, whole: true}
	b.parts(rd.Hdoc.Parts, true)
	return string(b.cur)
}

// substitute returns the text of a command substitution.
func (w walker) substitute(list []*syntax.Stmt) string {
	text := w.capture(func() { w.inSubshell(func() { w.stmts(list) }) })
	return strings.NewReplacer(mark, mark+markList, markGit, markGit+markList).Replace(strings.TrimRight(text, "\n"))
}

// substituteProcess gives <(…) a path, so that a shell that reads it is followed.
func (w walker) substituteProcess(p *syntax.ProcSubst) string {
	stdin := w.stdin
	if w.stdin = ""; p.Op == syntax.CmdOut {
		w.stdin = mark
	}
	text := w.substitute(p.Stmts) + "\n"
	w.stdin = stdin
	name := "/dev/fd/s" + strconv.Itoa(len(w.files))
	w.files[name] = text
	return name
}
