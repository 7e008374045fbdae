package command

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// wrap follows a program that runs another one.
func (r *reader) wrap(c *call) { r.apart(func() { r.unwrap(c) }) }

// unwrap looks at the command that stands behind the options of c, its own arguments
// and variables that it sets.
func (r *reader) unwrap(c *call) {
	l, skip := c.options, c.skip
	for {
		if r.wrapOptions(c.name, &l) || len(l.rest) == 0 {
			return
		}
		name, _, isVar := strings.Cut(l.first(), "=")
		switch {
		case isVar && !strings.Contains(name, "/"):
			r.assignText(l.first())
		case skip > 0:
			skip--
		default:
			r.exec(l.rest)
			return
		}
		l = parseOptions(l.rest[1:], c.valued)
	}
}

// wrapVerb follows a program that runs another one where its first argument says so.
func (r *reader) wrapVerb(c *call) {
	if verb := c.first(); verb == "run" || verb == "exec" || verb == "x" {
		c.options = parseOptions(c.rest[1:], "+ with")
		r.wrap(c)
	}
}

// wrapOptions follows the options that matter; true when no command comes after.
func (r *reader) wrapOptions(name string, l *options) bool {
	for _, o := range l.opts {
		switch name + " " + o.name {
		case "command -v", "command -V":
			r.print(l.first())
			return true
		case "env -C", "env --chdir", "sudo -D", "sudo --chdir":
			r.chdir(o.val)
		case "env -u", "env --unset":
			// Git is steered by no variable that is missing.
			r.vars[o.val] = variable{exported: !steersGit(o.val)}
		case "env -i", "env --ignore-environment":
			r.export("PATH")
		}
	}
	return false
}

// xargs runs a command with arguments that its input gives.
func (r *reader) xargs(c *call) {
	given := markOf(r.stdin)
	if len(c.rest) == 0 {
		r.print(given)
		return
	}
	if removers.Has(programName(c.first())) && (namesOwnFile(r.src) || containsAny(r.src, ".w", ".claude")) {
		r.noteUnknown("files that only warp and git write may be among those that are removed")
	}
	if hole, ok := c.get("-I", "-J"); ok {
		r.exec(fillHole(c.rest, hole, given))
	} else {
		r.exec(append(slices.Clone(c.rest), given))
	}
}

// fillHole puts a text where a program puts what it found.
func fillHole(args []string, hole, text string) []string {
	out := slices.Clone(args)
	for i, a := range out {
		checkSize(strings.Count(a, hole) * len(text))
		out[i] = strings.ReplaceAll(a, hole, text)
	}
	return out
}

// removers take files away, or out of reach.
var removers = text.WordSet{List: "rm unlink shred mv chmod chown truncate srm rimraf"}

// find runs a command on files, or removes them.
func (r *reader) find(c *call) {
	end := slices.IndexFunc(c.args, func(a string) bool { return strings.HasPrefix(a, "-") || a == "!" || a == "(" })
	if end < 0 {
		return
	}
	roots, args, pattern := c.args[:end], append(slices.Clone(c.args[end:]), ""), "*"
	if len(roots) == 0 {
		roots = []string{"."}
	}
	for i := 0; i < len(args)-1; i++ {
		value := args[i+1]
		negated := i > 0 && (args[i-1] == "!" || args[i-1] == "-not")
		switch args[i] {
		case "-name", "-iname":
			if !negated {
				pattern = value
			}
		case "-path", "-wholename", "-ipath":
			if !negated && isGuarded(value) {
				pattern = value
			}
		case "-delete":
			for _, root := range roots {
				r.touch(foundFiles(root, pattern, true))
			}
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			command := args[i+1 : len(args)-1]
			if n := slices.IndexFunc(command, func(a string) bool { return a == ";" || a == "+" }); n >= 0 {
				command = command[:n]
			}
			i += len(command)
			r.exec(fillHole(command, "{}", foundFiles(roots[0], pattern, removers.Has(programName(value)))))
		}
	}
}

// foundFiles stands for the files below a folder: only the disk tells which. Where
// they are removed and guarded ones may be among them, it is the folder with all
// that is in it.
func foundFiles(root string, pattern string, removed bool) string {
	if removed && reachesOwnFile(pattern) {
		return root
	}
	return path.Join(root, mark)
}
