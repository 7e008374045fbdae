package command

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// runShell handles a shell that runs a text, a script or its input.
func runShell(c *call) {
	for strings.HasPrefix(c.first(), "+") { // bash +e -c text
		more := parseOptions(c.rest[1:], c.valued)
		c.opts, c.rest = append(c.opts, more.opts...), more.rest
	}
	if file, ok := c.get("--rcfile", "--init-file"); ok {
		c.runScript(file, nil, true)
	}
	switch {
	case c.hasExactly("-c") && len(c.rest) > 0:
		c.runInSubshell(c.first(), c.rest[min(2, len(c.rest)):])
	case len(c.rest) > 0 && c.first() != "-" && !c.hasExactly("-s"):
		c.runScript(c.first(), c.rest[1:], true)
	default:
		text := c.stdin
		c.stdin = ""
		c.runInSubshell(text, nil)
		c.stdin = text
	}
}

// runText runs a text in this shell, so its assignments last.
func (r *reader) runText(text string) {
	switch {
	case strings.Trim(text, allMarks+" \t\n;\"'") != "":
		r.readText(spellMarks(text))
	case strings.ContainsAny(text, mark+markGit):
		r.noteUnknown("the shell's text is made at run time")
		r.print(mark)
	}
}

func (r *reader) runInSubshell(text string, params []string) {
	r.inSubshell(func() {
		r.setParams(append([]string{}, params...))
		r.runText(text)
	})
}

// runWith runs a text with these arguments appended.
func (r *reader) runWith(text string, args []string) {
	r.withParams(append([]string{}, args...), func() { r.readText(spellMarks(text) + ` "$@"`) })
}

// runAlias expands a program's alias once, as programs do. A text that starts with ! is for a
// shell. Messages keep the words as written.
func (r *reader) runAlias(program, name, text string, rest []string) {
	code, isShell := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !isShell {
		code = program + " " + text
	}
	r.pinned++
	r.once("alias "+program+" "+name, 1, func() {
		r.inSubshell(func() { r.runWith(code, rest) })
	})
	r.pinned--
}

// once runs f unless as many calls with the same key as allowed are already running.
func (r *reader) once(key string, most int, f func()) {
	if r.running[key] < most {
		r.running[key]++
		defer func() { r.running[key]-- }()
		f()
	}
}

// withParams runs f with these positional parameters; nil if unknown.
func (r *reader) withParams(params []string, f func()) {
	before := r.vars["@"].list
	r.setParams(params)
	f()
	r.setParams(before)
}

// function is one body of a shell function or alias.
type function struct {
	name string
	body []*syntax.Stmt
	src  string // the text that contains it
	ran  bool
}

func (r *reader) define(f *function) {
	if !slices.ContainsFunc(r.funcs, func(g *function) bool { return g.name == f.name && slices.Equal(g.body, f.body) }) {
		r.funcs = append(r.funcs, f)
	}
}

// invoke runs all bodies of a function: which one applies may depend on a condition, and one may
// define the next. It returns false if there is no such function.
func (r *reader) invoke(name string, params []string) (found bool) {
	src := r.src
	for i := 0; i < len(r.funcs); i++ {
		if f := r.funcs[i]; f.name == name {
			found = true
			r.once("function "+name, 2, func() {
				r.spend()
				f.ran, r.src = true, f.src
				r.withParams(params, func() { walker{r}.stmts(f.body) })
			})
		}
	}
	r.src = src
	return found
}

// runUncalled runs functions that nothing was seen to call, since something may.
func (r *reader) runUncalled() {
	for i := 0; i < len(r.funcs); i++ {
		if f := r.funcs[i]; !f.ran {
			r.inSubshell(func() { r.invoke(f.name, nil) })
		}
	}
}

// runScript runs a file in a separate shell.
func (r *reader) runScript(name string, args []string, isShell bool) {
	r.readScript(name, isShell, func(text string) { r.runInSubshell(text, args) })
}

// readScript reads a script that a shell runs; an unreadable one counts as any other program. A
// script that existed before counts only for what it plainly does: build scripts are full of texts
// made at run time, and git's own hooks see what hides in them.
func (r *reader) readScript(name string, isShell bool, run func(text string)) {
	if strings.Contains(name, markGit) {
		r.noteUnknown("the script's name is made at run time")
		return
	}
	text, ok := r.content(name)
	if !ok || !isShell && !isShellScript(text) {
		r.print(mark)
		return
	}
	key := r.key(name)
	read := func() { r.once("script "+key, 1, func() { run(text) }) }
	if _, written := r.files[key]; written || r.env.Script == nil || strings.HasPrefix(name, "/dev/") {
		read()
		return
	}
	was := *r
	defer func() {
		if recover() != nil { // too much to read: keep the acts so far
			acts, work := r.acts, r.work
			*r = was
			r.acts, r.work = acts, work
		}
		r.plainOnly, r.mostWork = was.plainOnly, was.mostWork
	}()
	r.plainOnly++
	r.mostWork -= (r.mostWork - r.work) / 2 // keep half of the budget for what follows the script
	r.capture(read)
	r.print(mark)
}

// isShellScript decides by the first line.
func isShellScript(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return !strings.HasPrefix(line, "#!") || slices.ContainsFunc(strings.Fields(line[2:]), func(word string) bool { return isShell(path.Base(word)) })
}
