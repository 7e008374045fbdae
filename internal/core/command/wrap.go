package command

import "strings"

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
	{name: "env", short: "uC", long: "unset chdir", vars: true},
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

// wrapper follows a program that runs another one.
func (r *reader) wrapper(base string, args []arg) bool {
	switch base {
	case "xargs", "gxargs":
		r.xargs(args)
		return true
	case "find", "gfind", "fd":
		r.find(args)
		return true
	case "su", "runuser":
		l := parseLine(args, "csgG", "command shell group")
		if text, ok := l.get("-c", "--command"); ok {
			r.code(text.s, nil)
		}
		return true
	}
	w := findWrap(base)
	if w == nil {
		return false
	}
	switch base {
	case "command", "builtin", "exec", "noglob", "nocorrect", "-":
		r.unwrap(w, args) // this shell runs it
	default:
		r.apart(func() { r.unwrap(w, args) })
	}
	return true
}

func (r *reader) unwrap(w *wrap, args []arg) {
	skip := w.skip
	for i := 0; i < len(args); i++ {
		s := args[i].s
		name, val, isVar := strings.Cut(s, "=")
		switch {
		case s == "--":
		case len(s) > 1 && s[0] == '-':
			i = r.wrapOption(w, args, i)
			if i < 0 {
				return
			}
		case w.vars && isVar && !strings.Contains(name, "/"):
			r.setVar(name, value{list: []string{val}})
			r.steer(name)
		case skip > 0:
			if w.verb && s != "run" && s != "exec" && s != "x" {
				return
			}
			skip--
		default:
			r.exec(args[i:])
			return
		}
	}
}

// wrapOption passes an option and its value; -1 when there is no command.
func (r *reader) wrapOption(w *wrap, args []arg, i int) int {
	s := args[i].s
	next := func() arg {
		if i++; i < len(args) {
			return args[i]
		}
		return arg{}
	}
	switch {
	case w.name == "command" && strings.ContainsAny(s, "vV"):
		return -1
	case w.name == "env" && (strings.HasPrefix(s, "-S") || strings.HasPrefix(s, "--split-string")):
		r.envString(s, args, i)
		return -1
	case (w.name == "env" || w.name == "sudo") && (s == "-C" && w.name == "env" || s == "--chdir" || s == "-D"):
		r.chdir(next().s)
		return i
	case w.name == "env" && strings.HasPrefix(s, "--chdir="):
		r.chdir(s[len("--chdir="):])
		return i
	case w.name == "env" && (s == "-u" || s == "--unset"):
		r.without(next().s)
		return i
	case w.name == "env" && (s == "-i" || s == "--ignore-environment"):
		r.without("PATH")
		return i
	case w.name == "flock" && (s == "-c" || s == "--command"):
		r.code(next().s, nil)
		return -1
	case strings.HasPrefix(s, "--"):
		if name, _, cut := strings.Cut(s[2:], "="); !cut && takes(w.long, name) {
			i++
		}
		return i
	}
	for j := 1; j < len(s); j++ {
		if strings.IndexByte(w.short, s[j]) >= 0 {
			if j == len(s)-1 {
				i++
			}
			break
		}
	}
	return i
}

// envString is env -S, which splits one text to arguments.
func (r *reader) envString(s string, args []arg, i int) {
	text := strings.TrimPrefix(strings.TrimPrefix(s, "-S"), "--split-string")
	text = strings.TrimPrefix(text, "=")
	if text == "" && i+1 < len(args) {
		i++
		text = args[i].s
	}
	r.with(args[min(i+1, len(args)):], func() { r.nested("env "+spell(text)+` "$@"`, nearGit) })
}

// xargs runs a command with arguments that its input gives.
func (r *reader) xargs(args []arg) {
	mark := arg{s: dyn, split: true}
	if text, _ := r.stdin.get(); mentionsGit(text) {
		mark.s = dynGit
	}
	hole := ""
	for i := 0; i < len(args); i++ {
		s := args[i].s
		switch {
		case s == "-I" || s == "--replace" || s == "-J":
			if i++; i < len(args) {
				hole = args[i].s
			}
		case strings.HasPrefix(s, "-I"):
			hole = s[2:]
		case s == "-i":
			hole = "{}"
		case len(s) == 2 && s[0] == '-' && strings.Contains("nPLdsaESR", s[1:]):
			i++
		case strings.HasPrefix(s, "-"):
		default:
			if removers.Has(programName(s)) && (namesOwn(r.src) || strings.Contains(r.src, ".w") || strings.Contains(r.src, ".claude")) {
				r.unknown("files that only warp and git write may be among those that are removed")
			}
			r.exec(filled(args[i:], hole, mark))
			return
		}
	}
}

// filled puts what is not told where the input's words go.
func filled(args []arg, hole string, mark arg) []arg {
	out := make([]arg, 0, len(args)+1)
	for _, a := range args {
		if hole != "" {
			a.s = strings.ReplaceAll(a.s, hole, mark.s)
		}
		out = append(out, a)
	}
	if hole == "" {
		out = append(out, mark)
	}
	return out
}
