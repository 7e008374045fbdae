package command

import (
	"path"
	"slices"
	"strings"
)

// runShell handles a shell that runs a text, a script or its input.
func runShell(c *call) {
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
		c.stdin = "" // for the commands in it
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
		r.noteUnknown("the shell's text is known only at run time")
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

// runScript runs a file in a separate shell.
func (r *reader) runScript(name string, args []string, isShell bool) {
	r.readScript(name, isShell, func(text string) { r.runInSubshell(text, args) })
}

// readScript reads a script that a shell runs; an unreadable one counts as any other program. A
// script that existed before counts only for what it plainly does: build scripts are full of texts
// made at run time, and git's own hooks see what hides in them.
func (r *reader) readScript(name string, isShell bool, run func(text string)) {
	text := r.content(name)
	switch {
	case strings.Contains(name, markGit):
		r.noteUnknown("the script's name is known only at run time")
	case text == "" || !isShell && !isShellScript(text):
		r.print(mark)
	default:
		if !r.isFresh(name) && !strings.HasPrefix(name, "/dev/") {
			r.plainOnly++
			defer func() { r.plainOnly-- }()
		}
		r.once("script "+r.abs(name), 1, func() { run(text) })
	}
}

// isShellScript decides by the first line.
func isShellScript(text string) bool {
	line, _, _ := strings.Cut(text, "\n")
	return !strings.HasPrefix(line, "#!") || slices.ContainsFunc(strings.Fields(line[2:]), func(word string) bool { return isShell(path.Base(word)) })
}
