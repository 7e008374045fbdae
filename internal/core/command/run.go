package command

import (
	"path"
	"slices"
	"strings"
)

// call is one command as its program gets it.
type call struct {
	*program
	name    string // of the program, without its folder
	path    string // as it is written
	args    []string
	options // args told apart, as the program does
}

// programName is the name that a path ends in.
func programName(s string) string { return strings.TrimSuffix(strings.ToLower(path.Base(s)), ".exe") }

// findProgram is the row of a program, with or without a version behind its name.
func (r *reader) findProgram(name string) *program {
	for _, name := range []string{name, strings.TrimRight(name, "0123456789.")} {
		for i := range r.programs {
			if hasWord(r.programs[i].names, name) {
				return &r.programs[i]
			}
		}
	}
	return &program{do: (*reader).runOther, prints: mark}
}

// runCommand looks at one command as the shell does: aliases and functions come
// before programs. They are not relied on to hide one: an alias may not be
// expanded, and a function may not be defined after all.
func (r *reader) runCommand(args []string) {
	for len(args) > 0 && args[0] == "" {
		args = args[1:] // an empty variable
	}
	if len(args) == 0 {
		return
	}
	if text, ok := r.aliases[args[0]]; ok {
		r.runAlias("", args[0], text, args[1:])
	}
	f, defined := r.funcs[args[0]]
	if defined {
		r.once("function "+args[0], func() { r.invoke(f, args[1:]) })
	}
	if !defined || hasWord("git warp gh eval sh bash", programName(args[0])) {
		r.exec(args)
	}
}

// exec looks at one command as a program does that runs others: there are no aliases and
// no functions.
func (r *reader) exec(args []string) {
	defer r.enter()()
	if len(args) == 0 {
		return
	}
	name := programName(args[0])
	if hasMark(name) || hasPattern(name) && name != "[" && name != "[[" {
		r.runUnknown(args[0], args[1:])
		r.print(mark)
		return
	}
	p := r.findProgram(name)
	before := len(r.out)
	if p.do != nil {
		p.do(r, &call{p, name, args[0], args[1:], parseOptions(args[1:], p.valued)})
	}
	switch {
	case len(r.out) > before || p.prints == "":
	case strings.Contains(r.stdin, markGit):
		r.print(markGit)
	default:
		r.print(p.prints)
	}
}

// runOther looks at a program that is not known: it may be a script, it may run a
// command that it is given, and it may write the files that it is given.
func (r *reader) runOther(c *call) {
	sub, dashed := strings.CutPrefix(c.name, "git-")
	_, written := r.files[r.key(c.path)]
	switch {
	case dashed && sub != "":
		r.subcommand(sub, c.args)
		return
	case written || strings.Contains(c.path, "/"):
		r.runScript(c.path, c.args, false)
	case r.passesGit(c.args):
		r.noteUnknown("an unknown program is given a git command")
	}
	for _, a := range c.args {
		if namesOwnFile(a) {
			r.noteUnknown("a program is given a file that only warp and git write")
			return
		}
	}
}

// passesGit tells whether a git command that changes something is among the arguments.
func (r *reader) passesGit(args []string) bool {
	i := slices.IndexFunc(args, func(a string) bool { return programName(a) == "git" })
	return i >= 0 && r.changesGit(args[i+1:])
}

// passesText tells whether an argument is a text that may be run, and changes something.
func passesText(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool { return nearGit(a) && strings.ContainsAny(a, " \t\n;") })
}

// changesGit tells whether a call of git with these arguments would do anything.
func (r *reader) changesGit(args []string) bool {
	trial := *r
	trial.acts = nil
	trial.apart(func() { trial.exec(append([]string{"git"}, args...)) })
	r.work = trial.work
	return slices.ContainsFunc(trial.acts, func(a Act) bool { return a.Kind != Touch && a.Kind != Warp })
}

// runUnknown looks at a command whose name is made at run time: it is near git
// when the name is, or when its arguments are what one would give to git.
func (r *reader) runUnknown(name string, args []string) {
	suspicious := markOf(name) == markGit
	if !suspicious && strings.Trim(name, allMarks) == "" {
		n := len(r.acts)
		r.runCommand(args) // the name may be nothing, or a program that runs others
		if len(r.acts) > n {
			return
		}
	}
	if suspicious || passesText(args) || len(args) > 0 && !hasMark(args[0]) && r.changesGit(args) {
		r.noteUnknown("the command's name is made at run time")
	}
}

func (r *reader) runWarp(c *call) {
	if c.name == "warp-hook" {
		r.emit(Act{Kind: Warp, Args: append([]string{"hook"}, texts(c.args)...)})
		return
	}
	r.emit(Act{Kind: Warp, Args: texts(c.args), Set: r.changedVariable()})
}
