package command

import (
	"strings"

	"warp/internal/core/lexicon"
)

// wrap is a program that runs the command among its arguments.
type wrap struct {
	name        string
	short, long string // options with a value
	skip        int    // arguments before the command
	vars        bool   // NAME=value may stand before it
	verb        bool   // the first argument says that a command is run
}

func findWrap(base string) *wrap {
	for i := range wraps {
		if wraps[i].name == base {
			return &wraps[i]
		}
	}
	return nil
}

var wraps = [...]wrap{
	{name: "command"}, {name: "builtin"}, {name: "exec", short: "a"}, {name: "nohup"}, {name: "setsid"},
	{name: "env", short: "uCS", long: "unset chdir split-string", vars: true},
	{name: "time", short: "fo", long: "format output"},
	{name: "timeout", short: "sk", long: "signal kill-after", skip: 1},
	{name: "gtimeout", short: "sk", long: "signal kill-after", skip: 1},
	{name: "nice", short: "n", long: "adjustment"},
	{name: "ionice", short: "cnpPu", long: "class classdata"},
	{name: "chrt", skip: 1}, {name: "taskset", skip: 1}, {name: "chroot", skip: 1}, {name: "setarch", skip: 1},
	{name: "stdbuf", short: "ioe", long: "input output error"},
	{name: "sudo", short: "ughpCrtTUDR", long: "user group host prompt chdir", vars: true},
	{name: "doas", short: "uC", vars: true},
	{name: "caffeinate", short: "tw"}, {name: "unbuffer"}, {name: "rlwrap"}, {name: "faketime", skip: 1},
	{name: "strace", short: "oepsEuaPXI"}, {name: "ltrace", short: "oepsnuax"}, {name: "perf", skip: 1},
	{name: "flock", short: "wEc", long: "timeout conflict-exit-code command", skip: 1},
	{name: "systemd-run", short: "putEMH", long: "unit property setenv"},
	{name: "unshare"}, {name: "nsenter", short: "t"}, {name: "firejail"}, {name: "bwrap"}, {name: "proot"},
	{name: "busybox"}, {name: "toybox"}, {name: "dbus-run-session"}, {name: "xvfb-run"}, {name: "ssh-agent"},
	{name: "noglob"}, {name: "nocorrect"}, {name: "-"},
	{name: "npx", short: "p", long: "package"}, {name: "pipx", skip: 1, verb: true}, {name: "uv", skip: 1, verb: true, long: "with"},
	{name: "poetry", skip: 1, verb: true}, {name: "pdm", skip: 1, verb: true}, {name: "hatch", skip: 1, verb: true}, {name: "bundle", skip: 1, verb: true},
	{name: "mise", skip: 1, verb: true}, {name: "asdf", skip: 1, verb: true}, {name: "direnv", skip: 2}, {name: "dotenv"}, {name: "op", skip: 1, verb: true},
}

// inThisShell are wraps whose command may set what stays set.
var inThisShell = lexicon.Set{List: "command builtin exec noglob nocorrect -"}

// wrapper follows a program that runs another one.
func (r *reader) wrapper(base string, args []arg) bool {
	w := findWrap(base)
	switch {
	case base == "xargs" || base == "gxargs":
		r.xargs(args)
	case base == "find" || base == "gfind" || base == "fd":
		r.find(args)
		r.print(mark)
	case base == "su" || base == "runuser":
		l := parseOptions(args, "csgG", "command shell group")
		if text, ok := l.get("-c", "--command"); ok {
			r.runApart(text.s, nil)
		}
	case w == nil:
		return false
	case inThisShell.Has(base):
		r.unwrap(w, args)
	default:
		r.apart(func() { r.unwrap(w, args) })
	}
	return true
}

func (r *reader) unwrap(w *wrap, args []arg) {
	skip := w.skip
	for {
		l := parseLeading(args, w.short, w.long)
		if r.wrapOptions(w.name, &l) {
			return
		}
		if len(l.rest) == 0 {
			r.print(r.outputOf(w.name, nil))
			return
		}
		args = l.rest[1:]
		name, val, isVar := strings.Cut(l.first(), "=")
		switch {
		case w.vars && isVar && !strings.Contains(name, "/"):
			r.setVariable(name, val)
			r.export(name)
		case skip > 0 && w.verb && name != "run" && name != "exec" && name != "x":
			r.print(r.outputOf(w.name, l.rest))
			return
		case skip > 0:
			skip--
		default:
			r.exec(l.rest)
			return
		}
	}
}

// wrapOptions follows the options that matter; true when no command comes after.
func (r *reader) wrapOptions(name string, l *options) bool {
	for _, o := range l.opts {
		switch name + " " + o.name {
		case "command -v", "command -V":
			r.print(l.first())
			return true
		case "env -S", "env --split-string":
			r.withParams(known(l.rest), func() { r.readText("env " + spellMarks(o.val.s) + ` "$@"`) })
			return true
		case "flock -c", "flock --command":
			r.runApart(o.val.s, nil)
			return true
		case "env -C", "env --chdir", "sudo -D", "sudo --chdir":
			r.chdir(o.val.s)
		case "env -u", "env --unset":
			// Git is steered by no variable that is missing.
			r.set(o.val.s, variable{list: []string{""}, exported: !steersGit(o.val.s)})
		case "env -i", "env --ignore-environment":
			r.export("PATH")
		}
	}
	return false
}

// xargs runs a command with arguments that its input gives.
func (r *reader) xargs(args []arg) {
	text, _ := r.input()
	given := arg{s: markOf(text), split: true}
	l := parseLeading(args, "IJnPLdsaESR", "max-args max-procs max-lines delimiter arg-file")
	if len(l.rest) == 0 {
		r.print(given.s)
		return
	}
	if removers.Has(programName(l.first())) && (namesOwnFile(r.src) || containsAny(r.src, ".w", ".claude")) {
		r.noteUnknown("files that only warp and git write may be among those that are removed")
	}
	hole, ok := l.get("-I", "-J", "--replace")
	if l.hasExactly("-i") || ok && hole.s == "" {
		hole.s = "{}"
	}
	if hole.s == "" {
		r.exec(append(l.rest[:len(l.rest):len(l.rest)], given))
		return
	}
	r.exec(fillHole(l.rest, hole.s, given.s))
}

// fillHole puts a text where a program puts what it found.
func fillHole(args []arg, hole, text string) []arg {
	out := make([]arg, 0, len(args))
	for _, a := range args {
		a.s = strings.ReplaceAll(a.s, hole, text)
		out = append(out, a)
	}
	return out
}
