package command

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"warp/internal/core/text"
)

// builtin handles shell builtins, and programs of which only the output matters.
func (c *call) builtin() bool {
	c.options = parseOptions(c.args, "+")
	rest, all := c.rest, joinWords(c.rest)
	switch c.name {
	case "true", ":", "false", "test", "[", "[[": // they print nothing
	case "echo":
		c.print(echo(c.args))
	case "cat":
		name := c.first()
		if name == "-" { // every other program reads it as a file name
			name = ""
		}
		text, _ := c.content(name)
		if len(rest) > 1 {
			text = markOf(c.stdin)
		}
		c.print(cmp.Or(text, mark))
	case "which", "type":
		c.print(joinWords(rest[max(len(rest)-1, 0):]))
	case "mktemp":
		name := mark
		if c.vars["TMPDIR"].list == nil && strings.Trim(joinWords(c.args), "-dq ") == "" {
			name = "/tmp/mktemp.fresh" // a path that nothing else uses
		}
		c.print(name)
	case "pwd":
		c.print(cmp.Or(c.dir, mark))
	case "printf":
		if c.has("-v") {
			c.setVariable(c.first(), markOf(all, markList))
		}
		c.print(markOf(all))
	case "cd", "pushd", "chdir", "popd":
		stays := len(rest) > 1 || slices.ContainsFunc(c.opts, func(o option) bool { return !hasWord("-L -P -e -@ -n", o.name) })
		if !stays { // otherwise it fails
			c.chdir(c.first())
		}
	case "eval":
		c.runText(strings.TrimPrefix(joinWords(c.args), "-- "))
	case "source", ".":
		if len(rest) > 0 {
			params := rest[1:]
			if len(params) == 0 {
				params = c.vars["@"].list
			}
			c.readScript(rest[0], true, func(text string) { c.withParams(params, func() { c.runText(text) }) })
		}
	case "trap":
		c.runInSubshell(c.first(), nil)
	case "alias":
		for _, a := range rest {
			if name, text, ok := strings.Cut(a, "="); ok {
				c.defineAlias(name, spellMarks(text)+` "$@"`)
			}
		}
	case "set":
		if l := parseOptions(c.args, "+o"); l.dash >= 0 || len(l.rest) > 0 && !strings.HasPrefix(l.first(), "+") {
			c.setParams(append([]string{}, l.rest...))
		}
	case "shift":
		if params := c.vars["@"].list; len(params) > 0 && len(rest) == 0 && !maySplit(params[0]) {
			c.setParams(params[1:])
		} else {
			c.setParams(nil)
		}
	case "unset":
		for _, a := range rest {
			if c.set(a, variable{list: []string{""}, exported: isInherited(a)}); a == "IFS" {
				c.setVariable(a, defaultIFS)
			}
		}
	case "export", "declare", "local", "readonly", "typeset":
		for _, a := range rest {
			c.assignText(a)
		}
	case "read", "mapfile", "readarray":
		given := strings.TrimSpace(c.stdin)
		if !hasPattern(given) || hasMark(given) {
			given = markOf(given, markList)
		}
		for _, name := range append(slices.Clone(rest), "REPLY", "MAPFILE") {
			c.setVariable(name, given)
		}
	case "hash":
		if strings.Contains(markOf(c.args...), markGit) {
			c.noteUnknown("a program is given another name")
		}
	default:
		return false
	}
	return true
}

// defineAlias records a shell alias. Scripts rarely expand aliases, but they can. An alias that is
// never used does nothing, so it starts out as run.
func (c *call) defineAlias(name, text string) {
	if f, err := c.parser.Parse(&feed{text: text}, ""); err == nil {
		c.define(&function{name: name, body: f.Stmts, src: text, ran: true})
	}
}

// echo returns what the shell's echo prints; unknown if escapes are interpreted.
func echo(args []string) string {
	escapes := false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && strings.Trim(args[0][1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0], "e")
		args = args[1:]
	}
	if escapes && strings.Contains(joinWords(args), `\`) {
		return markGit
	}
	return joinWords(args) + "\n"
}

// simpleCommand walks assignments and a command. Assignments before a command apply to it alone.
func (w walker) simpleCommand(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		for _, a := range c.Assigns {
			w.assign(a)
		}
		return
	}
	args := w.fields(c.Args)
	for _, a := range c.Assigns {
		name := a.Name.Value
		defer w.set(name, w.vars[name])
		w.assign(a)
		w.export(name)
	}
	w.runCommand(args)
}

func (w walker) declare(c *syntax.DeclClause) {
	for _, a := range c.Args {
		w.assign(a)
		if a.Name != nil && c.Variant.Value != "local" {
			w.export(a.Name.Value)
		}
	}
}

func (w walker) assign(a *syntax.Assign) {
	w.inside(a.Index)
	switch {
	case a.Name == nil:
		w.assignText(w.expandOne(a.Value))
		return
	case a.Naked:
		return
	}
	list := []string{w.expandOne(a.Value)}
	if a.Array != nil {
		list = []string{}
		for _, e := range a.Array.Elems {
			w.inside(e.Index)
			if e.Value != nil {
				list = append(list, w.fields([]*syntax.Word{e.Value})...)
			}
		}
	}
	old := w.vars[a.Name.Value].list
	switch {
	case a.Append && a.Array != nil:
		list = slices.Concat(old, list)
	case a.Append && len(old) > 0:
		list = []string{old[0] + list[0]}
	case a.Index != nil || a.Append:
		list = []string{markOf(slices.Concat(old, list)...)}
	}
	w.setVariable(a.Name.Value, list...)
}

// assignText handles a NAME=value that is an argument, quoted or made of variables, which the
// parser does not recognise as an assignment.
func (r *reader) assignText(text string) {
	if name, val, ok := strings.Cut(text, "="); ok {
		r.setVariable(name, val)
		r.export(name)
	}
}

// setVariable sets a variable and follows a value that git or the shell would run.
func (r *reader) setVariable(name string, list ...string) {
	r.set(name, variable{list: list, exported: r.vars[name].exported || steersGit(name) || isInherited(name)})
	switch {
	case len(list) == 0:
	case runsValue.Has(name) && (!hasMark(list[0]) || mentionsGit(list[0])):
		r.capture(func() { r.runInSubshell(list[0], nil) })
	case name == "BASH_ENV" || name == "ENV":
		r.runScript(list[0], nil, true)
	}
}

var (
	// idle variables change only how a program's output looks.
	idle = text.WordSet{List: "NO_COLOR FORCE_COLOR CLICOLOR TERM COLUMNS LINES LANG LANGUAGE TZ"}
	// runsValue are variables whose value git or the shell runs.
	runsValue = text.WordSet{List: `GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_ASKPASS
 GIT_PROXY_COMMAND EDITOR VISUAL PAGER PROMPT_COMMAND SSH_ASKPASS`}
)

// isInherited reports whether the environment already holds the variable: assigning it is enough to
// change it there, and unsetting it matters.
func isInherited(name string) bool {
	return name == "PATH" || name == "XDG_STATE_HOME" || strings.HasPrefix(name, "WARP_") || strings.HasPrefix(name, "CLAUDE")
}

// changedVariable returns a variable that the text adds to or removes from warp's environment,
// which tests and agents inherit; "" if none.
func (s *state) changedVariable() string {
	for _, name := range slices.Sorted(maps.Keys(s.vars)) {
		if s.vars[name].exported && !idle.Has(name) && !strings.HasPrefix(name, "LC_") {
			return name
		}
	}
	return ""
}
