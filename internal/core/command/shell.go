package command

import (
	"path"
	"strings"
)

// shell looks at a shell that is started: with a text, a script or its input.
func (r *reader) shell(args []arg) {
	text := false
	i := 0
	for ; i < len(args); i++ {
		s := args[i].s
		if s == "--" {
			i++
			break
		}
		if s == "-" || len(s) < 2 || s[0] != '-' && s[0] != '+' {
			break
		}
		if s == "--rcfile" || s == "--init-file" {
			if i++; i < len(args) {
				r.script(args[i], nil, true)
			}
			continue
		}
		if strings.HasPrefix(s, "--") {
			continue
		}
		text = text || strings.Contains(s, "c")
		if last := s[len(s)-1]; last == 'o' || last == 'O' {
			i++
		}
		if strings.Contains(s, "s") && !text {
			r.fromInput(nil)
			return
		}
	}
	if i > len(args) {
		i = len(args)
	}
	switch rest := args[i:]; {
	case text && len(rest) > 0:
		var params []arg
		if len(rest) > 2 {
			params = rest[2:]
		}
		r.code(rest[0].s, params)
	case len(rest) > 0 && rest[0].s != "-":
		r.script(rest[0], rest[1:], true)
	default:
		r.fromInput(nil)
	}
}

// fromInput is a shell that reads its commands.
func (r *reader) fromInput(params []arg) {
	text, known := r.stdin.get()
	switch {
	case known == tell, known == untell && strings.Trim(text, dynAny+" \n") != "":
		if known == untell {
			text = spell(text)
		}
		in := r.stdin
		r.stdin = input{}
		r.scriptText(text, params, true)
		r.stdin = in
	case known == untell:
		r.unknown("a shell reads commands that are made at run time")
	}
}

// source runs a script in this shell.
func (r *reader) source(name arg, args []arg) {
	text, known := r.content(name.s)
	switch known {
	case absent:
	case untell:
		if strings.Trim(text, dynAny+" \n") == "" {
			r.unknown("a shell reads commands that are made at run time")
			return
		}
		text = spell(text)
		fallthrough
	case tell:
		r.inScript(name.s, text, func() {
			if len(args) == 0 {
				r.nested(text, nearGit)
				return
			}
			r.with(args, func() { r.nested(text, nearGit) })
		})
	}
}

// script runs a file. One that is neither readable nor written by this command
// is a program like any other.
func (r *reader) script(name arg, args []arg, isShell bool) {
	if strings.Contains(name.s, dynGit) {
		r.unknown("the script's name is made at run time")
		return
	}
	text, known := r.content(name.s)
	switch known {
	case untell:
		if strings.Trim(text, dynAny+" \n") == "" {
			r.unknown("a script is run that is made at run time")
			return
		}
		text = spell(text)
		fallthrough
	case tell:
		r.inScript(name.s, text, func() { r.scriptText(text, args, isShell) })
	}
}

// inScript reads a script that a shell runs. Of one that was there before, only what it
// plainly does counts: build scripts are full of texts that are made at run time, and
// what hides in them git's own hooks see.
func (r *reader) inScript(name, text string, read func()) {
	key := r.key(name)
	if _, written := r.files[key]; written || r.env.Script == nil || strings.HasPrefix(name, "/dev/") {
		r.guard("script "+key, read)
		return
	}
	if len(text) > maxScript {
		return
	}
	was := *r
	r.plainOnly++
	defer func() {
		r.plainOnly--
		if recover() != nil { // too much to read: what was seen so far counts
			acts := r.acts
			*r = was
			r.acts = acts
		}
		delete(r.running, "script "+key)
	}()
	r.guard("script "+key, read)
}

// scriptText reads a script, when its first line says that it is one of a shell.
func (r *reader) scriptText(text string, args []arg, isShell bool) {
	compiled := strings.IndexByte(text[:min(len(text), 512)], 0) >= 0
	if !compiled && (isShell || shellScript(text)) {
		r.subshell(text, args)
	}
}

func shellScript(text string) bool {
	line, ok := strings.CutPrefix(text, "#!")
	if !ok {
		return true
	}
	line, _, _ = strings.Cut(line, "\n")
	for word := range strings.FieldsSeq(line) {
		base := path.Base(word)
		if shells.Has(base) {
			return true
		}
		if base != "env" && !strings.HasPrefix(word, "-") && !strings.Contains(word, "=") {
			return false
		}
	}
	return false
}
