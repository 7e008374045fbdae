package command

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
)

// call is one command as its program gets it.
type call struct {
	*reader
	*program
	name    string // of the program, without its folder
	path    string // as it is written
	args    []string
	options // args told apart, as the program does
}

// programName is the name that a path ends in.
func programName(s string) string { return strings.TrimSuffix(strings.ToLower(path.Base(s)), ".exe") }

// findProgram is the row of a program, with or without a version behind its name.
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

// isKnown tells the name of a program about which something is known.
func (r *reader) isKnown(name string) bool {
	_, known := r.findProgram(programName(name))
	return known || hasWord("eval source trap", name)
}

// isJudged tells the name of a program that is looked for among the arguments of one that
// is not known at all: words such as install are what many take.
func isJudged(name string) bool {
	return hasWord("git hub warp gh glab tea rm rmdir unlink shred srm trash mv dd find xargs env sudo doas chmod chown truncate rsync "+shellNames, programName(name))
}

// runCommand looks at one command as the shell does: aliases and functions come before
// programs, and hide none that matters, since they may not be defined after all.
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

// exec looks at one command as a program does that runs others: there are no aliases and
// no functions.
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
	case len(r.out) > before || isShell(c.name): // a shell prints what it runs
	case strings.Contains(r.stdin, markGit):
		r.print(markGit)
	default:
		r.print(cmp.Or(c.prints, mark))
	}
}

// runOther looks at a program that is not known: it may be a script, it may run a
// command that it is given, and it may write the files that it is given.
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

// suspectFiles notes a program that may write files, and is given one that only
// warp and git write.
func (c *call) suspectFiles() {
	if slices.ContainsFunc(c.args, namesOwnFile) {
		c.noteUnknown("a program is given a file that only warp and git write")
	}
}

// suspectArguments looks for commands among arguments: names of programs, and texts with
// such a name, all of them or those behind an option that runs one.
func (c *call) suspectArguments(names func(string) bool, allTexts bool) {
	judged := "" // what another program would do when it is named again was seen the first time
	for i, a := range c.args {
		isText := strings.ContainsAny(a, " \n") && (allTexts || i > 0 && hasWord("-c -S -e -x --command --cmd --exec --eval --run", c.args[i-1]))
		if isText && !slices.ContainsFunc(strings.Fields(a), names) || !isText && (!names(a) || hasWord(judged, a)) {
			continue
		}
		if programName(a) != "git" { // which may be the name of a user
			judged += " " + a
		}
		files := maps.Clone(c.files)
		got := c.tryOut(func() {
			if isText {
				c.runApart(a, nil)
			} else {
				c.apart(func() { c.exec(c.args[i:]) })
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

// isChange tells an act that shows words to be a command.
func isChange(a Act) bool {
	return a.Kind != Touch && a.Kind != Warp && !strings.HasPrefix(a.Why, noSuchCommand)
}

// runUnknown looks at a command whose name is made at run time, and may be nothing; false
// when it does nothing that is known.
func (c *call) runUnknown() bool {
	n := len(c.acts)
	if c.isNearGit() {
		c.noteUnknown("the command's name is made at run time")
	} else if maySplit(c.path) && strings.Trim(c.path, allMarks) == "" {
		c.runCommand(c.args)
	}
	return len(c.acts) > n
}

// isNearGit tells whether git may be the command whose name is made at run time: by its
// name, or when its arguments are what one would give to git.
func (c *call) isNearGit() bool {
	asGit := func() { c.apart(func() { c.exec(append([]string{"git"}, c.args...)) }) }
	return strings.Contains(markOf(c.path), markGit) || len(c.args) > 0 && !hasMark(c.args[0]) && slices.ContainsFunc(c.tryOut(asGit), isChange) ||
		slices.ContainsFunc(c.args, func(a string) bool { return nearGit(a) && strings.ContainsAny(a, " \t\n;") })
}

func runWarp(c *call) {
	args := texts(c.args)
	if c.name == "warp-hook" {
		args = append([]string{"hook"}, args...)
	}
	c.emit(Act{Kind: Warp, Args: args, Set: c.changedVariable()})
}
