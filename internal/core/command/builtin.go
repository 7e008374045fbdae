package command

import "strings"

// builtin looks at what the shell does itself.
func (r *reader) builtin(c *call) {
	rest := c.args
	if len(rest) > 0 && rest[0].s == "--" && c.name != "set" {
		rest = rest[1:]
	}
	switch c.name {
	case "echo":
		r.print(echo(c.args))
	case "pwd":
		if r.print(r.dir); r.dir == "" {
			r.print(mark)
		}
	case "popd":
		r.dir = ""
	case "eval":
		r.runText(joinWords(rest))
	case "source", ".":
		if len(rest) > 0 {
			r.sourceScript(rest[0], rest[1:])
		}
	case "trap":
		if len(rest) > 0 {
			r.runApart(rest[0].s, nil)
		}
	case "alias":
		for _, a := range rest {
			if name, text, ok := strings.Cut(a.s, "="); ok {
				r.aliases[name] = text
			}
		}
	case "set":
		if c.dash >= 0 {
			r.params = []arg{{s: markOf(joinWords(rest)), split: true}}
		}
	case "shift":
		r.params = []arg{{s: markOf(strings.Join(r.allParams(), " ")), split: true}}
	case "unset":
		for _, a := range rest {
			r.set(a.s, variable{exported: isInherited(a.s)})
		}
	case "export", "declare", "local", "readonly", "typeset":
		for _, a := range rest {
			r.assignText(a.s, true)
		}
	case "printf":
		if r.print(markOf(joinWords(rest))); c.hasExactly("-v") {
			r.fillVariables(joinWords(rest), c.rest[:min(1, len(c.rest))])
		}
	case "read", "mapfile", "readarray":
		text, _ := r.input()
		r.fillVariables(text, append(c.rest, arg{s: "REPLY"}, arg{s: "MAPFILE"}))
	case "hash":
		if markOf(joinWords(rest)) == markGit {
			r.noteUnknown("a program is given another name")
		}
	}
}

// fillVariables gives variables what is made of a text.
func (r *reader) fillVariables(text string, names []arg) {
	for _, name := range names {
		if !hasMark(name.s) {
			r.set(name.s, variable{text: markOf(text)})
		}
	}
}

func (r *reader) changeDir(c *call) {
	to := c.first()
	if r.chdir(to); to == "-" || strings.HasPrefix(to, "+") || len(c.rest) > 0 && c.rest[0].glob {
		r.dir = ""
	}
}

// echo is what the shell's echo prints; with escapes, it is unknown.
func echo(args []arg) string {
	escapes := false
	for len(args) > 0 && len(args[0].s) > 1 && args[0].s[0] == '-' && strings.Trim(args[0].s[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].s, "e")
		args = args[1:]
	}
	text := joinWords(args)
	if escapes && strings.Contains(text, "\\") {
		return markGit
	}
	return text + "\n"
}

// printFile prints what cat is given, where that is one text.
func (r *reader) printFile(c *call) {
	text, ok := r.input()
	if len(c.args) > 0 {
		text, ok = r.content(c.args[0].s)
	}
	if ok && len(c.args) < 2 {
		r.print(text)
	}
}

func (r *reader) printLast(c *call) {
	if n := len(c.args); n > 0 {
		r.print(c.args[n-1].s)
	}
}

// makeTemporary prints a fresh folder: what happens there happens nowhere else.
func (r *reader) makeTemporary(c *call) {
	if _, set := r.vars["TMPDIR"]; !set && strings.Trim(joinWords(c.args), "-dq ") == "" {
		r.print("/tmp/mktemp.fresh")
	}
}
