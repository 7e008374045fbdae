package command

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// wrap is programs that run the command among their arguments.
type wrap struct {
	names  string
	valued string // options with a value, see parseOptions
	skip   int    // arguments before the command
	vars   bool   // NAME=value may stand before it
	verb   bool   // the first argument says that a command is run
}

var wraps = [...]wrap{
	{names: `command builtin nohup setsid unbuffer rlwrap unshare firejail bwrap proot busybox toybox dbus-run-session xvfb-run
 ssh-agent noglob nocorrect - dotenv`},
	{names: "exec", valued: "a"},
	{names: "env", valued: "uCS unset chdir split-string", vars: true},
	{names: "sudo doas", valued: "ughpCrtTUDR user group host prompt chdir", vars: true},
	{names: "time", valued: "fo format output"},
	{names: "timeout gtimeout", valued: "sk signal kill-after", skip: 1},
	{names: "nice ionice", valued: "cnpPu class classdata adjustment"},
	{names: "stdbuf", valued: "ioe input output error"},
	{names: "caffeinate nsenter", valued: "tw"},
	{names: "strace ltrace", valued: "oepsnEuaxPXI"},
	{names: "flock", valued: "wEc timeout conflict-exit-code command", skip: 1},
	{names: "systemd-run", valued: "putEMH unit property setenv"},
	{names: "npx", valued: "p package"},
	{names: "chrt taskset chroot setarch faketime perf", skip: 1},
	{names: "direnv", skip: 2},
	{names: "pipx uv poetry pdm hatch bundle mise asdf op", valued: " with", skip: 1, verb: true},
}

func findWrap(base string) *wrap {
	for i := range wraps {
		if slices.Contains(strings.Fields(wraps[i].names), base) {
			return &wraps[i]
		}
	}
	return nil
}

// inThisShell are wraps whose command may set what stays set.
var inThisShell = text.WordSet{List: "command builtin exec noglob nocorrect -"}

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
		l := parseOptions(args, "csgG command shell group")
		if text, ok := l.get("-c", "--command"); ok {
			r.runApart(text.s, nil)
		}
	case w == nil:
		return false
	case inThisShell.Has(base):
		r.unwrap(base, w, args)
	default:
		r.apart(func() { r.unwrap(base, w, args) })
	}
	return true
}

func (r *reader) unwrap(base string, w *wrap, args []arg) {
	skip := w.skip
	for {
		l := parseOptions(args, "+"+w.valued)
		if r.wrapOptions(base, &l) {
			return
		}
		if len(l.rest) == 0 {
			r.print(r.outputOf(base, nil))
			return
		}
		args = l.rest[1:]
		name, val, isVar := strings.Cut(l.first(), "=")
		switch {
		case w.vars && isVar && !strings.Contains(name, "/"):
			r.setVariable(name, val)
			r.export(name)
		case skip > 0 && w.verb && name != "run" && name != "exec" && name != "x":
			r.print(r.outputOf(base, l.rest))
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
			r.withParams(append([]arg{}, l.rest...), func() { r.readText("env " + spellMarks(o.val.s) + ` "$@"`) })
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
	l := parseOptions(args, "+IJnPLdsaESR max-args max-procs max-lines delimiter arg-file")
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
		checkSize(strings.Count(a.s, hole) * len(text))
		a.s = strings.ReplaceAll(a.s, hole, text)
		out = append(out, a)
	}
	return out
}
