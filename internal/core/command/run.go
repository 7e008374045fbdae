package command

import (
	"cmp"
	"maps"
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
	for _, name := range []string{name, strings.TrimRight(name, "0123456789.")} {
		for i := range r.programs {
			if hasWord(r.programs[i].names, name) {
				return &r.programs[i], true
			}
		}
	}
	return &program{do: runOther}, len(name) > 4 && strings.HasPrefix(name, "git-")
}

// isKnown reports whether the tables know the program.
func (r *reader) isKnown(name string) bool {
	_, known := r.findProgram(programName(name))
	return known || hasWord("eval source trap", name)
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
	if r.invoke(args[0], args[1:]) {
		name := programName(args[0])
		if p, known := r.findProgram(name); (!known || p.do == nil) && name != "eval" {
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
// write the files it names.
func runOther(c *call) {
	sub, dashed := strings.CutPrefix(c.name, "git-")
	_, written := c.files[c.key(c.path)]
	switch {
	case hasMark(c.name) || hasPattern(c.name):
		if !c.runUnknown() {
			c.suspectArguments(isJudged, false)
		}
		c.print(mark)
		return
	case dashed && sub != "":
		c.subcommand(sub, c.args)
		return
	case written || strings.Contains(c.path, "/"):
		c.runScript(c.path, c.args, false)
	}
	c.suspectArguments(isJudged, false)
	c.suspectFiles()
}

// suspectFiles notes an unknown program with an argument that only warp and git write.
func (c *call) suspectFiles() {
	if slices.ContainsFunc(c.args, namesOwnFile) {
		c.noteUnknown("a program is given a file that only warp and git write")
	}
}

// suspectArguments looks for commands among arguments: names of programs, and texts with such a
// name. It checks all texts, or only those after an option that runs one.
func (c *call) suspectArguments(names func(string) bool, allTexts bool) {
	judged := "" // programs already tried: repeating one adds no new act
	for i, a := range c.args {
		isText := strings.ContainsAny(a, " \n") && (allTexts || i > 0 && hasWord("-c -S -e -x --call --command --cmd --exec --eval --run", c.args[i-1]))
		if isText && !slices.ContainsFunc(strings.Fields(a), names) || !isText && (!names(a) || hasWord(judged, a)) {
			continue
		}
		if programName(a) != "git" { // may be a user name
			judged += " " + a
		}
		files := maps.Clone(c.files)
		got := c.tryOut(func() {
			if isText {
				c.runInSubshell(a, nil)
			} else {
				c.inSubshell(func() { c.exec(c.args[i:]) })
			}
		})
		c.files = files
		for _, act := range got {
			if act.Kind == Touch || act.Kind == Warp {
				c.emit(act)
			} else if isChange(act) {
				c.noteUnknown("an unknown program is given a command")
				return
			}
		}
	}
}

// isChange reports whether an act proves that the words were a command.
func isChange(a Act) bool {
	return a.Kind != Touch && a.Kind != Warp && !strings.HasPrefix(a.Why, noSuchCommand)
}

// runUnknown handles a command whose name is made at run time and may be empty. It returns false if
// it noted nothing.
func (c *call) runUnknown() bool {
	n := len(c.acts)
	if c.isNearGit() {
		c.noteUnknown("the command's name is made at run time")
	} else if maySplit(c.path) && strings.Trim(c.path, allMarks) == "" {
		c.runCommand(c.args)
	}
	return len(c.acts) > n
}

// isNearGit reports whether a command whose name is made at run time may be git: by its name, or
// because its arguments fit git.
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
