package command

import (
	"path"
	"strings"
)

// runShell looks at a shell that is started: with a text, a script or its input.
func (r *reader) runShell(args []arg) {
	l := parseOptions(args, "+oO rcfile init-file")
	for strings.HasPrefix(l.first(), "+") { // bash +e -c text
		more := parseOptions(l.rest[1:], "+oO rcfile init-file")
		l.opts, l.rest = append(l.opts, more.opts...), more.rest
	}
	if file, ok := l.get("--rcfile", "--init-file"); ok {
		r.runScript(file, nil, true)
	}
	switch {
	case l.hasExactly("-c") && len(l.rest) > 0:
		r.runApart(l.first(), l.rest[min(2, len(l.rest)):])
	case len(l.rest) > 0 && l.first() != "-" && !l.hasExactly("-s"):
		r.runScript(l.rest[0], l.rest[1:], true)
	default:
		text, ok := r.input()
		if !ok {
			r.print(mark)
			return
		}
		r.apart(func() {
			r.stdin = nil
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
func (r *reader) runApart(text string, params []arg) {
	r.apart(func() {
		r.params = append([]arg{}, params...)
		r.runText(text)
	})
}

// runAlias runs the text that an alias stands for. Messages keep the words that
// were written. Git stops at an alias that leads to itself.
func (r *reader) runAlias(name, text string, rest []arg) {
	r.pinned++
	r.once("alias "+name, func() {
		r.withParams(append([]arg{}, rest...), func() { r.readText(spellMarks(text) + ` "$@"`) })
	})
	r.pinned--
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
func (r *reader) sourceScript(name arg, args []arg) {
	text, ok := r.content(name.s)
	if !ok {
		r.print(mark)
		return
	}
	r.inScript(name.s, func() {
		if len(args) == 0 {
			r.runText(text)
			return
		}
		r.withParams(args, func() { r.runText(text) })
	})
}

// runScript runs a file. One that is neither readable nor written by this command
// is a program like any other.
func (r *reader) runScript(name arg, args []arg, isShell bool) {
	if strings.Contains(name.s, markGit) {
		r.noteUnknown("the script's name is made at run time")
		return
	}
	text, ok := r.content(name.s)
	if !ok || !isShell && !isShellScript(text) {
		r.print(mark)
		return
	}
	r.inScript(name.s, func() { r.runApart(text, args) })
}

// inScript reads a script that a shell runs. Of one that was there before, only
// what it plainly does counts: build scripts are full of texts that are made at run
// time, and git's own hooks see what hides in them.
func (r *reader) inScript(name string, read func()) {
	key := r.key(name)
	if _, written := r.files[key]; written || r.env.Script == nil || strings.HasPrefix(name, "/dev/") {
		r.once("script "+key, read)
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
	r.capture(func() { r.once("script "+key, read) })
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
