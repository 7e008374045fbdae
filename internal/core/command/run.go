package command

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// call is one command as its program receives it.
type call struct {
	*reader
	*program
	name    string // the program's, without its folder
	path    string // as written
	args    []string
	options // args, parsed as the program does
}

// programName returns the program's name from a path.
func programName(s string) string { return strings.TrimSuffix(strings.ToLower(path.Base(s)), ".exe") }

// findProgram returns a program's row, ignoring a version after its name.
func (r *reader) findProgram(name string) (p *program, known bool) {
	plain := strings.TrimRight(name, "0123456789.")
	for i := range r.programs {
		if p = &r.programs[i]; hasWord(p.names, name) || hasWord(p.names, plain) {
			return p, true
		}
	}
	return &program{do: runOther}, len(name) > 4 && strings.HasPrefix(name, "git-")
}

// isKnown reports whether the tables know the program.
func (r *reader) isKnown(name string) bool {
	_, known := r.findProgram(programName(name))
	return known
}

// isJudged reports whether to look for this program among the arguments of an unknown one. Words
// such as install are not on the list: many programs take them.
func isJudged(name string) bool {
	return hasWord("git hub warp gh glab tea rm rmdir unlink shred srm trash mv dd find xargs env sudo doas chmod chown truncate rsync "+shellNames, programName(name))
}

// runCommand handles one command as the shell does. Aliases and functions come before programs, but
// never hide a known one, since they may turn out to be undefined.
func (r *reader) runCommand(args []string) {
	for len(args) > 0 && args[0] == "" {
		args = args[1:] // an empty variable
	}
	if len(args) == 0 {
		return
	}
	if bodies := r.vars["command "+args[0]].list; len(bodies) > 0 {
		r.once("command "+args[0], 2, func() {
			r.withParams(args[1:], func() { r.readText(spellMarks(strings.Join(bodies, "\n"))) })
		})
		if p, known := r.findProgram(programName(args[0])); (!known || p.do == nil) && args[0] != "eval" {
			return
		}
	}
	r.exec(args)
}

// exec handles one command as a program that runs others does: without aliases and functions.
func (r *reader) exec(args []string) {
	defer r.enter()()
	if len(args) == 0 {
		return
	}
	c := &call{reader: r, name: programName(args[0]), path: args[0], args: args[1:]}
	if c.builtin() {
		return
	}
	c.program, _ = r.findProgram(c.name)
	c.options = parseOptions(c.args, c.valued)
	before := len(r.out)
	if c.do != nil {
		c.do(c)
	}
	switch {
	case len(r.out) > before || isShell(c.name): // a shell prints what its commands print
	case strings.Contains(r.stdin, markGit):
		r.print(markGit)
	default:
		r.print(cmp.Or(c.prints, mark))
	}
}

// runOther handles an unknown program: it may be a script, run a command among its arguments, or
// write the files it names. If its name is known only at run time, it may be git, or empty.
func runOther(c *call) {
	sub, dashed := strings.CutPrefix(c.name, "git-")
	n := len(c.acts)
	switch {
	case dashed:
		c.subcommand(sub, c.args)
	case (hasMark(c.name) || hasPattern(c.name)) && c.isNearGit():
		c.noteUnknown("the command's name is known only at run time")
	case maySplit(c.path) && strings.Trim(c.path, allMarks) == "":
		c.runCommand(c.args)
		c.print(mark)
	case strings.Contains(c.path, "/"):
		c.runScript(c.path, c.args, false)
	}
	if !dashed && !slices.ContainsFunc(c.acts[n:], isChange) {
		c.suspectArguments(false)
	}
}

// suspectArguments looks for commands among arguments: names of programs, and texts with such a
// name. It checks all texts, or only those after an option that runs one.
func (c *call) suspectArguments(allTexts bool) {
	if !allTexts && slices.ContainsFunc(c.args, namesOwnFile) {
		c.noteUnknown("a program is given a file that only warp and git write")
	}
	judged := "" // programs already tried: repeating one adds no new act
	for i, a := range c.args {
		isText := strings.ContainsAny(a, " \n") && (allTexts || i > 0 && hasWord("-c -S -e -x --call --command --cmd --exec --eval --run", c.args[i-1]))
		if isText && !slices.ContainsFunc(strings.Fields(a), isJudged) || !isText && (!isJudged(a) || hasWord(judged, a)) {
			continue
		}
		words := c.args[i:]
		if isText {
			words = []string{"eval", a}
		} else if programName(a) != "git" { // may be a user name
			judged += " " + a
		}
		for _, act := range c.tryOut(func() { c.inSubshell(func() { c.exec(words) }) }) {
			if isChange(act) {
				c.noteUnknown("an unknown program is given a command")
				return
			}
			c.emit(act)
		}
	}
}

// isChange reports whether an act proves that the words were a command.
func isChange(a Act) bool { return a.Kind != Touch && a.Kind != Warp }

// isNearGit reports whether a command whose name is known only at run time may be git: by its name,
// or because its arguments fit git.
func (c *call) isNearGit() bool {
	asGit := func() { c.inSubshell(func() { c.exec(append([]string{"git"}, c.args...)) }) }
	return strings.Contains(markOf(c.path), markGit) || len(c.args) > 0 && !hasMark(c.args[0]) && slices.ContainsFunc(c.tryOut(asGit), isChange) ||
		slices.ContainsFunc(c.args, func(a string) bool { return nearGit(a) && strings.ContainsAny(a, " \t\n;") })
}

func runWarp(c *call) {
	args := hideMarks(c.args)
	if c.name == "warp-hook" {
		args = append([]string{"hook"}, args...)
	}
	c.emit(Act{Kind: Warp, Args: args, Set: c.changedVariable()})
}
