package command

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// runShell looks at a shell that is started: with a text, a script or its input.
func (r *reader) runShell(c *call) {
	switch {
	case c.hasExactly("-c") && len(c.rest) > 0:
		r.runApart(c.first(), c.rest[min(2, len(c.rest)):])
	case len(c.rest) > 0 && c.first() != "-" && !c.hasExactly("-s"):
		r.runScript(c.rest[0], c.rest[1:], true)
	case r.stdin == "":
		r.print(mark)
	default:
		r.apart(func() {
			text := r.stdin
			r.stdin = ""
			r.runApart(text, nil)
		})
	}
}

// runText runs a text in this shell, so that what it sets stays set.
func (r *reader) runText(text string) {
	switch {
	case strings.Trim(text, allMarks+" \t\n;\"'") != "":
		r.readText(spellMarks(text))
	case strings.ContainsAny(text, mark+markGit):
		r.noteUnknown("the shell's text is made at run time")
		r.print(mark)
	}
}

// runApart runs a text in another shell.
func (r *reader) runApart(text string, params []string) {
	r.apart(func() {
		r.params = append([]string{}, params...)
		r.runText(text)
	})
}

// runAlias runs the text that an alias of a program stands for, once: programs stop at
// an alias that leads to itself. Text behind a bang is for a shell. Messages keep the
// words that were written.
func (r *reader) runAlias(program, name, text string, rest []string) {
	code, isShell := strings.CutPrefix(strings.TrimSpace(text), "!")
	if !isShell {
		code = program + " " + text
	}
	r.pinned++
	r.once("alias "+program+" "+name, func() {
		r.apart(func() {
			r.withParams(append([]string{}, rest...), func() { r.readText(spellMarks(code) + ` "$@"`) })
		})
	})
	r.pinned--
}

// withParams runs f with these positional parameters; nil when they are not known.
func (r *reader) withParams(params []string, f func()) {
	before := r.params
	r.params = params
	f()
	r.params = before
}

// function is a shell function.
type function struct {
	body *syntax.Stmt
	src  string // the text that it stands in
}

func (r *reader) invoke(f function, params []string) {
	src := r.src
	r.src = f.src
	r.withParams(params, func() { r.stmt(f.body) })
	r.src = src
}

// once runs f unless it is already being run for the same thing.
func (r *reader) once(key string, f func()) {
	if r.running[key] {
		return
	}
	r.running[key] = true
	defer delete(r.running, key)
	f()
}

// sourceScript runs a script in this shell.
func (r *reader) sourceScript(name string, args ...string) {
	if len(args) == 0 {
		args = r.params
	}
	r.readScript(name, true, func(text string) { r.withParams(args, func() { r.runText(text) }) })
}

// runScript runs a file in a shell of its own.
func (r *reader) runScript(name string, args []string, isShell bool) {
	r.readScript(name, isShell, func(text string) { r.runApart(text, args) })
}

// readScript reads a script that a shell runs; one that is neither readable nor written
// by this command is a program like any other. Of one that was there before, only what
// it plainly does counts: build scripts are full of texts that are made at run time, and
// git's own hooks see what hides in them.
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
	read := func() { r.once("script "+key, func() { run(text) }) }
	if _, written := r.files[key]; written || r.env.Script == nil || strings.HasPrefix(name, "/dev/") {
		read()
		return
	}
	was := *r
	defer func() {
		if recover() != nil { // too much to read: what was seen so far counts
			acts, work := r.acts, r.work
			*r = was
			r.acts, r.work = acts, work
		}
		r.plainOnly, r.mostWork = was.plainOnly, was.mostWork
	}()
	r.plainOnly++
	r.mostWork -= (r.mostWork - r.work) / 2 // the other half is for what comes after the script
	r.capture(read)
	r.print(mark)
}

// isShellScript tells by the first line.
func isShellScript(text string) bool {
	line, ok := strings.CutPrefix(text, "#!")
	line, _, _ = strings.Cut(line, "\n")
	for word := range strings.FieldsSeq(line) {
		if shells.Has(path.Base(word)) {
			return true
		}
	}
	return !ok
}
