package command

import (
	"cmp"
	"strings"
)

// builtin looks at what the shell does itself.
func (r *reader) builtin(c *call) {
	rest := c.args
	if len(rest) > 0 && rest[0] == "--" && c.name != "set" {
		rest = rest[1:]
	}
	switch c.name {
	case "echo":
		r.print(echo(c.args))
	case "pwd":
		r.print(cmp.Or(r.dir, mark))
	case "popd":
		r.dir = ""
	case "eval":
		r.runText(joinWords(rest))
	case "source", ".":
		if len(rest) > 0 {
			r.sourceScript(rest[0], rest[1:]...)
		}
	case "trap":
		if len(rest) > 0 {
			r.runApart(rest[0], nil)
		}
	case "alias":
		for _, a := range rest {
			if name, text, ok := strings.Cut(a, "="); ok {
				r.aliases[name] = text
			}
		}
	case "set":
		if c.dash >= 0 {
			r.params = []string{markOf(joinWords(rest))}
		}
	case "shift":
		r.params = []string{markOf(joinWords(r.allParams()))}
	case "unset":
		for _, a := range rest {
			r.vars[a] = variable{exported: isInherited(a)}
		}
	case "export", "declare", "local", "readonly", "typeset":
		for _, a := range rest {
			r.assignText(a)
		}
	case "printf":
		r.print(markOf(joinWords(rest)))
	case "read", "mapfile", "readarray":
		for _, name := range append(c.rest, "REPLY", "MAPFILE") {
			r.vars[name] = variable{text: markOf(r.stdin)}
		}
	}
}

func (r *reader) changeDir(c *call) {
	to := c.first()
	if r.chdir(to); to == "-" || strings.HasPrefix(to, "+") {
		r.dir = ""
	}
}

// echo is what the shell's echo prints; with escapes, it is unknown.
func echo(args []string) string {
	if len(args) > 0 && strings.HasPrefix(args[0], "-") && strings.Trim(args[0], "-neE") == "" {
		if strings.Contains(args[0], "e") && strings.Contains(joinWords(args), `\`) {
			return markGit
		}
		args = args[1:]
	}
	return joinWords(args) + "\n"
}

// printFile prints what cat is given, where that is one text.
func (r *reader) printFile(c *call) {
	text := r.stdin
	if len(c.args) > 0 {
		text, _ = r.content(c.args[0])
	}
	if len(c.args) < 2 {
		r.print(text)
	}
}

func (r *reader) printLast(c *call) {
	if n := len(c.args); n > 0 {
		r.print(c.args[n-1])
	}
}

// makeTemporary prints a fresh folder: what happens there happens nowhere else.
func (r *reader) makeTemporary(c *call) {
	if _, set := r.vars["TMPDIR"]; !set && strings.Trim(joinWords(c.args), "-dq ") == "" {
		r.print("/tmp/mktemp.fresh")
	}
}
