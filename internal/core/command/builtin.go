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
		text := all
		if c.dash >= 0 || slices.ContainsFunc(c.opts, func(o option) bool { return !hasWord("-n -e -E", o.name) }) {
			text = joinWords(c.args) // these are no options of echo
		}
		if c.has("-e") && strings.Contains(text, `\`) {
			text = markGit // escapes may spell anything
		}
		c.print(text + "\n")
	case "cat":
		text := ""
		if name := c.first(); len(rest) < 2 && name != "-" { // every other program reads it as a file name
			text = c.content(name)
		}
		c.print(cmp.Or(text, markOf(c.stdin)))
	case "mktemp":
		name := mark
		if c.vars["TMPDIR"].list == nil && strings.Trim(joinWords(c.args), "-dq ") == "" {
			name = "/tmp/mktemp.fresh" // a path that nothing else uses
		}
		c.print(name)
	case "pwd":
		c.print(cmp.Or(c.dir, mark))
	case "printf":
		c.print(markOf(all))
	case "cd", "pushd", "chdir", "popd":
		c.chdir(c.first())
	case "exit":
		c.left = true
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
	case "alias": // scripts rarely expand aliases, but they can
		for _, a := range rest {
			if name, text, ok := strings.Cut(a, "="); ok {
				c.set("command "+name, variable{list: []string{text + ` "$@"`}})
			}
		}
	case "set", "shift":
		c.setParams(nil)
		return false // the words of set may be a command
	case "unset":
		for _, a := range rest {
			c.set(a, variable{list: []string{""}, exported: isInherited(a)})
		}
	case "read":
		given := strings.TrimSpace(c.stdin)
		if !hasPattern(given) || hasMark(given) {
			given = markOf(given, markList)
		}
		for _, name := range append(slices.Clone(rest), "REPLY") {
			c.setVariable(name, given)
		}
	default:
		return false
	}
	return true
}

// simpleCommand walks assignments and a command. Assignments before a command apply to it alone.
func (w walker) simpleCommand(c *syntax.CallExpr) {
	args := w.fields(c.Args)
	for _, a := range c.Assigns {
		name, before := a.Name.Value, w.vars[a.Name.Value]
		if w.assign(a); len(c.Args) > 0 {
			w.export(name)
			defer w.set(name, before)
		}
	}
	w.runCommand(args)
}

func (w walker) assign(a *syntax.Assign) {
	w.inside(a.Index)
	switch {
	case a.Name == nil:
		w.assignText(w.expandOne(a.Value, false))
		return
	case a.Naked:
		return
	}
	list := []string{w.expandOne(a.Value, false)}
	if a.Array != nil {
		var words []*syntax.Word
		for _, e := range a.Array.Elems {
			if w.inside(e.Index); e.Value != nil {
				words = append(words, e.Value)
			}
		}
		list = w.fields(words)
	}
	old := w.vars[a.Name.Value].list
	if a.Append && a.Array == nil && len(old) > 0 {
		list = []string{old[0] + list[0]}
	} else if a.Append || a.Index != nil {
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
	if len(list) > 0 && runsValue.Has(name) && (!hasMark(list[0]) || mentionsGit(list[0])) {
		r.capture(func() { r.runInSubshell(list[0], nil) })
	}
}

var (
	// idle variables change only how a program's output looks.
	idle = text.WordSet{List: "NO_COLOR FORCE_COLOR CLICOLOR TERM COLUMNS LINES LANG LANGUAGE TZ"}
	// runsValue are variables whose value git or the shell runs.
	runsValue = text.WordSet{List: `GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_SSH_COMMAND GIT_SSH GIT_EXTERNAL_DIFF GIT_ASKPASS
 GIT_PROXY_COMMAND BASH_ENV EDITOR VISUAL PAGER PROMPT_COMMAND SSH_ASKPASS`}
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
