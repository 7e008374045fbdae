package command

import (
	"cmp"
	"slices"
	"strings"
)

// builtin looks at what the shell does itself, and at programs of which only the output
// matters.
func (c *call) builtin() bool {
	rest := c.args
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	all := joinWords(rest)
	switch c.name {
	case "true", ":", "false", "test", "[", "[[":
	case "echo":
		c.print(echo(c.args))
	case "cat":
		text := c.stdin
		if len(rest) > 0 {
			text, _ = c.content(rest[0])
		}
		if len(rest) > 1 {
			text = markOf(c.stdin)
		}
		c.print(cmp.Or(text, mark))
	case "which", "type":
		if len(rest) > 0 {
			c.print(rest[len(rest)-1])
		}
	case "mktemp":
		// A fresh folder: what happens there happens nowhere else.
		if _, set := c.vars["TMPDIR"]; !set && strings.Trim(all, "-dq ") == "" {
			c.print("/tmp/mktemp.fresh")
		} else {
			c.print(mark)
		}
	case "pwd":
		c.print(cmp.Or(c.dir, mark))
	case "printf":
		if len(rest) > 1 && rest[0] == "-v" {
			c.put(rest[1], markOf(all))
		}
		c.print(markOf(all))
	case "cd", "pushd", "chdir":
		l := parseOptions(c.args, "+")
		to := l.first()
		if c.chdir(to); to == "-" || strings.HasPrefix(to, "+") {
			c.dir = ""
		}
	case "popd":
		c.dir = ""
	case "eval":
		c.runText(all)
	case "source", ".":
		if len(rest) > 0 {
			params := rest[1:]
			if len(params) == 0 {
				params = c.params
			}
			c.readScript(rest[0], true, func(text string) { c.withParams(params, func() { c.runText(text) }) })
		}
	case "trap":
		if len(rest) > 0 {
			c.runApart(rest[0], nil)
		}
	case "alias":
		for _, a := range rest {
			if name, text, ok := strings.Cut(a, "="); ok {
				c.defineAlias(name, spellMarks(text)+` "$@"`)
			}
		}
	case "set":
		if i := slices.Index(c.args, "--"); i >= 0 {
			c.params = c.args[i+1:]
		} else if len(rest) > 0 && !strings.HasPrefix(rest[0], "-") && !strings.HasPrefix(rest[0], "+") {
			c.params = rest
		}
		if slices.ContainsFunc(c.params, maySplit) {
			c.params = nil
		}
	case "shift":
		if len(c.params) > 0 && len(rest) == 0 {
			c.params = c.params[1:]
		} else {
			c.params = nil
		}
	case "unset":
		for _, a := range rest {
			c.set(a, variable{list: []string{""}, exported: isInherited(a)})
		}
	case "export", "declare", "local", "readonly", "typeset":
		for _, a := range rest {
			c.assignText(a)
		}
	case "read", "mapfile", "readarray":
		for _, name := range append(slices.Clone(rest), "REPLY", "MAPFILE") {
			if !strings.HasPrefix(name, "-") && !hasMark(name) {
				c.set(name, variable{list: []string{markOf(c.stdin)}})
			}
		}
	case "hash":
		if markOf(all) == markGit {
			c.noteUnknown("a program is given another name")
		}
	default:
		return false
	}
	return true
}

// defineAlias keeps an alias of the shell; scripts rarely expand one, but then they do.
// Defining one does nothing, so that it counts as run.
func (c *call) defineAlias(name, text string) {
	if f, err := c.parser.Parse(&feed{text: text}, ""); err == nil {
		c.define(&function{name: name, body: f.Stmts, src: text, ran: true})
	}
}

// echo is what the shell's echo prints; with escapes, it is unknown.
func echo(args []string) string {
	escapes := false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0], "e")
		args = args[1:]
	}
	text := joinWords(args)
	if escapes && strings.Contains(text, `\`) {
		return markGit
	}
	return text + "\n"
}
