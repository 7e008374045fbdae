package command

import (
	"strings"
)

// builtin looks at what the shell does itself.
func (r *reader) builtin(base string, rest []arg) bool {
	switch base {
	case "cd", "pushd", "chdir":
		r.cd(rest)
	case "popd":
		r.dir = ""
	case "eval":
		r.eval(rest)
	case "source", ".":
		if rest = dropDash(rest); len(rest) > 0 {
			r.source(rest[0], rest[1:])
		}
	case "trap":
		if rest = dropDash(rest); len(rest) > 0 {
			r.code(rest[0].s, nil)
		}
	case "alias":
		r.alias(rest)
	case "set":
		for i, a := range rest {
			if a.s == "--" {
				r.params, r.told = rest[i+1:], !anySplit(rest[i+1:])
				break
			}
		}
	case "shift":
		if r.told && len(r.params) > 0 && len(rest) == 0 {
			r.params = r.params[1:]
		} else {
			r.told = false
		}
	case "unset":
		for _, a := range rest {
			r.unset(a.s)
			if isInherited(a.s) {
				r.without(a.s)
			}
		}
	case "export", "declare", "local", "readonly", "typeset":
		// Written so that the parser could not tell: quoted, or through a variable.
		for _, a := range rest {
			if name, val, ok := strings.Cut(a.s, "="); ok {
				r.setVar(name, value{list: []string{val}})
				r.steer(name)
			}
		}
	case "read", "mapfile", "readarray":
		r.readVars(rest)
	case "printf":
		if len(rest) > 1 && rest[0].s == "-v" {
			text, ok := printf(rest[2:])
			if !ok || untold(text) {
				text = reworked(texts(rest[2:]))
			}
			r.set(rest[1].s, value{list: []string{text}})
		}
	case "hash":
		if anyNear(rest) {
			r.unknown("a program is given another name")
		}
	default:
		return false
	}
	return true
}

func dropDash(args []arg) []arg {
	if len(args) > 0 && args[0].s == "--" {
		return args[1:]
	}
	return args
}

func (r *reader) cd(args []arg) {
	for len(args) > 0 && len(args[0].s) > 1 && args[0].s[0] == '-' {
		args = args[1:]
	}
	if len(args) == 0 || args[0].s == "-" || strings.HasPrefix(args[0].s, "+") || args[0].glob {
		r.dir = ""
		return
	}
	r.chdir(args[0].s)
}

// eval runs its arguments as one text, in this shell.
func (r *reader) eval(args []arg) {
	words := make([]string, 0, len(args))
	for _, a := range dropDash(args) {
		words = append(words, a.s)
	}
	r.here(strings.Join(words, " "))
}

// alias keeps a shell's alias; scripts rarely expand one, but then they do.
func (r *reader) alias(args []arg) {
	for _, a := range args {
		name, text, ok := strings.Cut(a.s, "=")
		if !ok {
			continue
		}
		if r.aliases == nil {
			r.aliases = map[string]string{}
		}
		r.aliases[name] = spell(text)
	}
}

// readVars sets what is read from the input.
func (r *reader) readVars(args []arg) {
	mark := dyn
	if text, _ := r.stdin.get(); mentionsGit(text) {
		mark = dynGit
	}
	for _, a := range args {
		if !strings.HasPrefix(a.s, "-") && !untold(a.s) {
			r.set(a.s, value{list: []string{mark}, array: true})
		}
	}
	r.set("REPLY", value{list: []string{mark}})
	r.set("MAPFILE", value{list: []string{mark}, array: true})
}
