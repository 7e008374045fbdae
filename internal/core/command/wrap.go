package command

import (
	"path"
	"slices"
	"strings"
)

// unwrap follows a shell word that runs the command after it in this shell.
func unwrap(c *call) { c.exec(c.rest) }

// wrap follows a program that runs the command among its arguments.
func wrap(c *call) { c.inSubshell(c.searchCommand) }

// wrapBehind is wrap for programs that take an argument before the command: a verb, a user or a
// file.
func wrapBehind(c *call) {
	if !c.followOptions(&c.options) {
		c.args = c.rest[min(1, len(c.rest)):]
		wrap(c)
	}
}

// searchCommand runs the first arguments that name a program. If that may be the value of an option,
// the search continues: too many programs run others to know the options of each.
func (c *call) searchCommand() {
	for ran := false; ; {
		l := parseOptions(c.args, "+"+strings.TrimPrefix(c.valued, "+"))
		if c.followOptions(&l) {
			return
		}
		if len(l.rest) == 0 {
			c.suspectArguments(false)
			return
		}
		word, before := l.first(), append([]string{""}, c.args...)[len(c.args)-len(l.rest)]
		name, _, isVar := strings.Cut(word, "=")
		c.path, c.args = word, l.rest[1:]
		switch {
		case isVar && !strings.Contains(name, "/"):
			c.assignText(word)
		case c.isKnown(word):
			ran = true
			long := strings.HasPrefix(before, "--") && !strings.Contains(before, "=")
			if c.exec(l.rest); !long && (len(before) != 2 || before[0] != '-') {
				return
			}
		case ran:
			return
		default:
			c.name = programName(word)
			runOther(c)
			return
		}
	}
}

// followOptions handles options that matter. It returns true if one of them holds a text to run,
// with the arguments after it.
func (c *call) followOptions(l *options) bool {
	for _, o := range l.opts {
		switch c.name + " " + o.name {
		case "env -C", "env --chdir", "sudo -D", "sudo --chdir":
			c.chdir(o.val)
		case "env -u", "env --unset":
			// A missing variable does not steer git.
			c.set(o.val, variable{list: []string{""}, exported: !steersGit(o.val)})
		case "env -i", "env --ignore-environment":
			c.export("PATH")
		}
	}
	found := false
	for _, code := range l.values("-S", "--split-string", "-c", "--command", "--call") { // npx runs the last
		if code != "" && c.name != "ionice" { // its -c is a class
			found = true
			behind := c.args[slices.IndexFunc(c.args, func(a string) bool { return strings.HasSuffix(a, code) })+1:]
			if c.name == "env" {
				code = "env " + code
			}
			c.runInSubshell(joinWords(append([]string{code}, behind...)), nil)
		}
	}
	return found
}

func runXargs(c *call) {
	if len(c.rest) == 0 {
		c.rest = []string{"echo"}
	}
	removes, given := isRemover(c.first()), markOf(c.stdin, markList)+markSplit
	if c.stdin != "" && (!hasMark(c.stdin) || hasPattern(c.stdin)) {
		given = strings.TrimSpace(c.stdin)
	}
	if removes && (namesOwnFile(c.src) || containsAny(c.src, ".w", ".claude")) {
		c.noteUnknown("files that only warp and git write may be among those that are removed")
	}
	hole, ok := c.get("-I", "-J", "--replace")
	if c.hasExactly("-i") || ok && hole == "" {
		hole = "{}"
	}
	if hole == "" {
		c.exec(slices.Concat(c.rest, strings.Fields(given)))
	} else {
		c.exec(fillHole(c.rest, hole, given))
	}
}

// fillHole replaces the placeholder in args by a text.
func fillHole(args []string, hole, text string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		checkSize(strings.Count(a, hole) * len(text))
		out[i] = strings.ReplaceAll(a, hole, text)
	}
	return out
}

// isRemover reports whether a program removes files or makes them unreachable.
func isRemover(name string) bool {
	return hasWord("rm unlink shred mv chmod chown truncate srm rimraf", programName(name))
}

// list prints what a pattern stands for if it may be all of the work, else what ls names.
func list(c *call) {
	for _, a := range append(slices.Clone(c.rest), ".")[:max(1, len(c.rest))] {
		if p := c.abs(a); !c.has("-d") && (p == c.dir || c.holdsWork(p)) {
			a = "*"
		} else if !hasPattern(a) {
			a = markOf(a)
		}
		c.print(a + "\n")
	}
}

// find runs a command on files, removes them, or prints a pattern for them.
func find(c *call) {
	end := slices.IndexFunc(append(slices.Clone(c.args), "-"), func(a string) bool { return strings.HasPrefix(a, "-") || a == "!" || a == "(" })
	roots, args, pattern := c.args[:end], append(slices.Clone(c.args[end:]), ""), "*"
	if end == 0 {
		roots = []string{"."}
	}
	for i, a := range args[:len(args)-1] {
		value := args[i+1]
		negated := i > 0 && (args[i-1] == "!" || args[i-1] == "-not")
		switch {
		case hasWord("-name -iname", a) && !negated, hasWord("-path -ipath -wholename -iwholename", a) && !negated && isGuarded(value):
			pattern = value
		case hasWord("-exec -execdir -ok -okdir -x -X --exec --exec-batch", a):
			command := args[i+1 : len(args)-1]
			if n := slices.IndexFunc(command, func(a string) bool { return a == ";" || a == "+" }); n >= 0 {
				command = command[:n]
			}
			c.exec(fillHole(command, "{}", foundFiles(roots[0], pattern, isRemover(value))))
		}
	}
	for _, root := range roots {
		if slices.Contains(args, "-delete") {
			c.touch(foundFiles(root, pattern, true))
		}
		c.print(foundFiles(root, pattern, len(args) == 1) + "\n") // without conditions, find lists everything
	}
}

// foundFiles returns a path for the files below a folder, which only the disk knows: a pattern, or
// the whole folder if they are removed and guarded files may be among them.
func foundFiles(root, pattern string, removed bool) string {
	switch {
	case removed && reachesOwnFile(pattern):
		return root
	case pattern == "*" || strings.Contains(pattern, "/"):
		return path.Join(root, pattern)
	}
	return path.Join(root, "*", pattern)
}
